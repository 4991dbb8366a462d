Feature: Following an approval

  The assistant follows the approval it asked for, with the id it was given: by the reading tool, or by
  the resource. What it sees there is what became of it, and only its own person's approvals.

  Background:
    Given an assistant without forms

  @KADU-TRK-01
  Rule: Tool and resource show what became of an approval

    Scenario Outline: An approval that is <status> shows so
      Given an approval that is <status>
      Then the tool and the resource show that it is <status>

      Examples:
        | status   |
        | pending  |
        | executed |
        | declined |
        | failed   |
        | expired  |

    Scenario: An executed approval shows what the operation returned
      Given an approval that is executed
      Then the approval holds the execution that was begun

  @KADU-TRK-02
  Rule: The list holds one's own approvals, newest first

    Scenario: Of three approvals the newest comes first
      Given three approvals, a minute apart
      When the assistant lists the approvals
      Then they are listed newest first, and no others
      And the resource of approvals lists the same

    Scenario: A colleague's approvals are not listed, and one's own that are decided are
      Given an approval of a colleague
      And an approval that is executed
      When the assistant lists the approvals
      Then the colleague's approval is not among them
      And the list calls one's own nothing but executed

  @KADU-TRK-03
  Rule: Another person's approval is not found

    Scenario: A colleague's approval is not found by the tool
      Given an approval of a colleague
      When the assistant asks for it with the reading tool
      Then the result is the error NOT_FOUND

    Scenario: A colleague's approval is not found by its resource
      Given an approval of a colleague
      When the assistant reads its resource
      Then the read is refused as not found
      And the next read is answered
