Feature: Destructive tools

  What nobody brings back is marked, so that a client can warn, and asked about by the server itself,
  because a mark is only advice.

  Background:
    Given an assistant

  @KADU-DST-03
  Rule: No tool that only reads is marked destructive

    Scenario: Reading tools are not marked destructive
      When the assistant lists the tools
      Then no tool named get or list is marked destructive
      And kadu_files_download is not marked destructive

    @advisory
    Scenario: Reading tools say that they only read
      When the assistant lists the tools
      Then every tool named get or list is marked as only reading
