Feature: Tools

  Everything an assistant reads or does goes through tools, under the scope of its token and the role
  of its person. The documents name the tools, so an assistant may count on them.

  Background:
    Given an assistant

  @KADU-TLS-01
  Rule: Every tool that the documents name is offered

    Scenario: A caller who may do everything is offered every named tool
      When the assistant lists the tools
      Then these tools are offered
        | kadu_me_get                     |
        | kadu_repository_get             |
        | kadu_operation_approvals_list   |
        | kadu_operation_approvals_get    |
        | kadu_workspaces_get             |
        | kadu_activities_get             |
        | kadu_tasks_get                  |
        | kadu_executions_get             |
        | kadu_executions_events_list     |
        | kadu_executions_logs_list       |
        | kadu_executions_todos_list      |
        | kadu_memories_get               |
        | kadu_environments_get           |
        | kadu_schedules_get              |
        | kadu_files_download             |
        | kadu_organizations_update       |
        | kadu_workspaces_create          |
        | kadu_workspaces_update          |
        | kadu_activities_create          |
        | kadu_activities_update          |
        | kadu_tasks_create               |
        | kadu_tasks_update               |
        | kadu_tasks_endpoint_update      |
        | kadu_tasks_run                  |
        | kadu_executions_cancel          |
        | kadu_executions_continue        |
        | kadu_todos_update               |
        | kadu_memories_create            |
        | kadu_memories_update            |
        | kadu_environments_create        |
        | kadu_environments_update        |
        | kadu_secrets_create             |
        | kadu_secrets_update             |
        | kadu_schedules_create           |
        | kadu_schedules_update           |
        | kadu_files_create               |
        | kadu_files_confirm              |
        | kadu_repository_sync            |
        | kadu_webhooks_create            |
        | kadu_webhooks_update            |
        | kadu_webhooks_rotate_secret     |
        | kadu_webhook_deliveries_replay  |
        | kadu_roles_create               |

  @KADU-TLS-02
  Rule: A call needs the scope of the token and the permission of the person

    Scenario Outline: Without the scope <scope> the tool <tool> runs nothing
      Given the token lacks the scope <scope>
      When the assistant calls <tool> by what everybody knows of it
      Then the call is refused
      And nothing ran
      And with every scope the same call runs once

      Examples:
        | tool                     | scope             |
        | kadu_workspaces_create   | kadu/workspaces   |
        | kadu_environments_create | kadu/environments |
        | kadu_memories_create     | kadu/memories     |

    Scenario Outline: Without the permission <permission> the tool <tool> runs nothing
      Given the person lacks the permission <permission>
      When the assistant calls <tool> by what everybody knows of it
      Then the call is refused
      And nothing ran
      And with every permission the same call runs once

      Examples:
        | tool                     | permission                |
        | kadu_workspaces_create   | agent.workspaces.create   |
        | kadu_environments_create | agent.environments.create |
        | kadu_memories_create     | agent.memories.create     |

    @era-2026
    Scenario Outline: Without the <lack> <name> even a yes runs nothing
      Given the assistant loses the <lack> <name> after it was asked to confirm kadu_tasks_run
      When the person says yes
      Then the yes was not taken
      And nothing ran

      Examples:
        | lack       | name            |
        | scope      | kadu/tasks      |
        | permission | agent.tasks.run |
