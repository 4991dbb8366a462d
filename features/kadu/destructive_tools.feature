Feature: Destructive tools

  What nobody brings back is marked, so that a client can warn, and asked about by the server itself,
  because a mark is only advice.

  @KADU-DST-01
  Rule: Every deletion is marked destructive

    @read-only
    Scenario: Each offered tool that deletes is marked
      Given an assistant
      When the assistant lists the tools
      Then every tool named delete is marked destructive

  @KADU-DST-02
  Rule: So are the tools that run, stop, repeat or redirect

    @read-only
    Scenario: Each of the named tools is marked
      Given an assistant
      When the assistant lists the tools
      Then these tools are marked destructive
        | kadu_tasks_run                 |
        | kadu_executions_continue       |
        | kadu_executions_cancel         |
        | kadu_webhook_deliveries_replay |
        | kadu_webhooks_rotate_secret    |
        | kadu_tasks_endpoint_update     |
        | kadu_webhooks_create           |
        | kadu_webhooks_update           |

  @KADU-DST-03
  Rule: No tool that only reads is marked destructive

    @read-only
    Scenario: Reading tools are not marked destructive
      Given an assistant
      When the assistant lists the tools
      Then no tool named get or list is marked destructive
      And kadu_files_download is not marked destructive

    @advisory
    @read-only
    Scenario: Reading tools say that they only read
      Given an assistant
      When the assistant lists the tools
      Then every tool named get or list is marked as only reading

    @advisory
    @read-only
    Scenario: Ordinary writes say that they are not destructive
      Given an assistant
      When the assistant lists the tools
      Then these tools are said not to be destructive
        | kadu_workspaces_create   |
        | kadu_memories_create     |
        | kadu_environments_update |

  @KADU-DST-04
  Rule: The server itself asks before anything destructive

    Scenario Outline: Nobody runs <tool> unasked in the chat
      Given an assistant that shows forms
      And the server offers <tool>
      When the assistant calls <tool>
      Then the server asks for a yes
      And nothing ran
      And confirmed the call runs once

      @era-2026
      Examples: The named ones
        | tool                           |
        | kadu_tasks_run                 |
        | kadu_executions_continue       |
        | kadu_executions_cancel         |
        | kadu_webhook_deliveries_replay |
        | kadu_webhooks_rotate_secret    |
        | kadu_tasks_endpoint_update     |
        | kadu_webhooks_create           |

      @era-2026
      Examples: Deletions
        | tool                       |
        | kadu_workspaces_delete     |
        | kadu_activities_delete     |
        | kadu_tasks_delete          |
        | kadu_tasks_endpoint_delete |
        | kadu_memories_delete       |
        | kadu_environments_delete   |
        | kadu_secrets_delete        |
        | kadu_schedules_delete      |
        | kadu_files_delete          |
        | kadu_webhooks_delete       |
        | kadu_roles_delete          |

    Scenario Outline: Nobody runs <tool> unasked without forms
      Given an assistant without forms
      And the server offers <tool>
      When the assistant calls <tool>
      Then nothing ran
      And confirmed the call runs once

      Examples: The named ones
        | tool                           |
        | kadu_tasks_run                 |
        | kadu_executions_continue       |
        | kadu_executions_cancel         |
        | kadu_webhook_deliveries_replay |
        | kadu_webhooks_rotate_secret    |
        | kadu_tasks_endpoint_update     |
        | kadu_webhooks_create           |

      Examples: Deletions
        | tool                       |
        | kadu_workspaces_delete     |
        | kadu_activities_delete     |
        | kadu_tasks_delete          |
        | kadu_tasks_endpoint_delete |
        | kadu_memories_delete       |
        | kadu_environments_delete   |
        | kadu_secrets_delete        |
        | kadu_schedules_delete      |
        | kadu_files_delete          |
        | kadu_webhooks_delete       |
        | kadu_roles_delete          |

    @era-2026
    Scenario: A yes to one action is none to another
      Given an assistant that shows forms
      When the assistant calls kadu_tasks_run, and yes is said where it asks
      Then it ran once
      When the assistant calls kadu_environments_delete
      Then the server asks for a yes
      And nothing ran
      And confirmed the call runs once

    Scenario: Whatever else is marked destructive runs nothing unasked
      Given an assistant without forms
      When the assistant calls every other tool that is marked destructive or named delete
      Then nothing ran

  @KADU-DST-05
  Rule: Changing a webhook asks only when its address changes

    Scenario: Without an address it runs at once
      Given an assistant that shows forms
      When the assistant calls kadu_webhooks_update with "Avisos do financeiro" for its description
      Then the call succeeds
      And it ran once

    @era-2026
    Scenario: With a new address it asks
      Given an assistant that shows forms
      When the assistant calls kadu_webhooks_update with "https://novo.exemplo.com.br/avisos" for its url
      Then the server asks for a yes
      And nothing ran
      And confirmed the call runs once

    @era-2026
    Scenario Outline: With <difference> at the same host it asks
      Given an assistant that shows forms
      When the assistant calls kadu_webhooks_update with "https://novo.exemplo.com.br/avisos" for its url
      Then confirmed the call runs once
      When the assistant calls kadu_webhooks_update with "<address>" for its url
      Then the server asks for a yes
      And nothing ran
      And confirmed the call runs once

      Examples:
        | difference      | address                                          |
        | another address | https://novo.exemplo.com.br/outros               |
        | another query   | https://novo.exemplo.com.br/avisos?destino=outro |
        | other letters   | https://novo.exemplo.com.br/AVISOS               |
        | a slash behind  | https://novo.exemplo.com.br/avisos/              |
        | a fragment      | https://novo.exemplo.com.br/avisos#outros        |
        | a port          | https://novo.exemplo.com.br:8443/avisos          |
        | a user          | https://outra@novo.exemplo.com.br/avisos         |

    @era-2026
    Scenario: With an address that it had before it asks
      Given an assistant that shows forms
      When the assistant calls kadu_webhooks_update with "https://novo.exemplo.com.br/avisos" for its url
      Then confirmed the call runs once
      When the assistant calls kadu_webhooks_update with the address it had at first
      Then the server asks for a yes
      And nothing ran
      And confirmed the call runs once

    @era-2026
    Scenario: With a new address among other changes it asks
      Given an assistant that shows forms
      When the assistant calls kadu_webhooks_update with every argument
      Then the server asks for a yes
      And the question shows every argument
      And nothing ran
      And confirmed the call runs once

    Scenario: With a new address it waits for an approval where no form can be shown
      Given an assistant without forms
      When the assistant calls kadu_webhooks_update with "https://novo.exemplo.com.br/avisos" for its url
      Then the call waits for an approval
      And nothing ran
      And confirmed the call runs once

    Scenario Outline: With a new address it does not run unasked for a person without <permission>
      Given an assistant that shows forms
      And the person lacks the permission <permission>
      When the assistant calls kadu_webhooks_update with "https://novo.exemplo.com.br/avisos" for its url
      Then nothing ran
      And confirmed the call runs once

      Examples:
        | permission          |
        | agent.webhooks.read |

    Scenario: With a new address it does not run unasked while the webhook cannot be read
      Given an assistant that shows forms
      And the upstream cannot answer kadu_webhooks_get
      When the assistant calls kadu_webhooks_update with "https://novo.exemplo.com.br/avisos" for its url
      Then nothing ran
      When the upstream is well again
      Then confirmed the call runs once

    @advisory
    Scenario: With the address it has already it runs at once
      Given an assistant that shows forms
      When the assistant calls kadu_webhooks_update with the address it has already
      Then the call succeeds
      And it ran once

  @KADU-DST-06
  Rule: An ordinary write runs at once

    Scenario Outline: The ordinary write <tool> is neither asked about nor put off
      Given an assistant that shows forms
      When the assistant calls <tool>
      Then the call succeeds
      And it ran once

      Examples:
        | tool                     |
        | kadu_workspaces_create   |
        | kadu_memories_create     |
        | kadu_environments_update |
        | kadu_todos_update        |

    Scenario Outline: The ordinary write <tool> is not put off where no form can be shown
      Given an assistant without forms
      When the assistant calls <tool>
      Then the call succeeds
      And it ran once

      Examples:
        | tool                     |
        | kadu_workspaces_create   |
        | kadu_memories_create     |
        | kadu_environments_update |
        | kadu_todos_update        |

    Scenario: An ordinary write that empties a text runs as it was called
      Given an assistant that shows forms
      When the assistant calls kadu_workspaces_update with nothing in its description
      Then the call succeeds
      And it ran once

    Scenario Outline: The ordinary write <tool> runs once where the upstream's answer is lost
      Given an assistant that shows forms
      And the upstream loses its next answer to <tool>
      When the assistant calls <tool>
      Then it ran no more than once

      Examples:
        | tool                   |
        | kadu_workspaces_create |
        | kadu_memories_create   |

    Scenario: No other ordinary write is asked about or put off
      Given an assistant that shows forms
      When the assistant calls every other write that is not marked destructive
      Then none of them was asked about or put off
