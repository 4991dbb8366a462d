Feature: Resources

  A resource is a document that a user puts into a conversation without a model calling a tool.
  It opens no new way to the data: each one is read by a tool, under the caller's scope and role,
  and whoever may not run that tool neither sees the document nor reads it.

  Background:
    Given an assistant

  @KADU-RES-01
  Rule: The fixed resources are exactly three

    Scenario: A caller who may do everything is listed three documents
      When the assistant lists the resources
      Then these and no other addresses of the product are listed
        | me                  |
        | repository          |
        | operation_approvals |

  @KADU-RES-02
  Rule: The templates are exactly eleven

    Scenario: A caller who may do everything is listed eleven templates
      When the assistant lists the resource templates
      Then these and no other templates of the product are listed
        | operation_approvals/{id} |
        | workspaces/{id}          |
        | activities/{id}          |
        | tasks/{id}               |
        | executions/{id}          |
        | executions/{id}/events   |
        | executions/{id}/logs     |
        | executions/{id}/todos    |
        | memories/{id}            |
        | environments/{id}        |
        | schedules/{id}           |

  @KADU-RES-03
  Rule: A resource holds the records of the tool of its row

    Scenario Outline: The document <resource> holds what <tool> answers
      When the assistant reads <resource>
      Then the document is JSON text
      And the document holds the same records as <tool>

      Examples:
        | resource               | tool                        |
        | me                     | kadu_me_get                 |
        | repository             | kadu_repository_get         |
        | workspaces/{id}        | kadu_workspaces_get         |
        | activities/{id}        | kadu_activities_get         |
        | tasks/{id}             | kadu_tasks_get              |
        | executions/{id}        | kadu_executions_get         |
        | executions/{id}/events | kadu_executions_events_list |
        | executions/{id}/logs   | kadu_executions_logs_list   |
        | executions/{id}/todos  | kadu_executions_todos_list  |
        | memories/{id}          | kadu_memories_get           |
        | environments/{id}      | kadu_environments_get       |
        | schedules/{id}         | kadu_schedules_get          |

    Scenario: The document operation_approvals holds what its tool answers
      Given an assistant without forms
      And three approvals, a minute apart
      When the assistant reads operation_approvals
      Then the document is JSON text
      And the document holds the same records as kadu_operation_approvals_list

    Scenario: A record that changes is read as it has become
      Given a record of memories planted with the content "Lembrança antiga"
      When the assistant reads memories/{id} of it
      Then the document holds the planted record
      When the content of the planted record becomes "Lembrança nova"
      And the assistant reads memories/{id} of it
      Then the document holds the planted record

    @advisory
    Scenario Outline: The document <resource> says that it is JSON
      When the assistant reads <resource>
      Then the document says that it is JSON

      Examples:
        | resource   |
        | me         |
        | tasks/{id} |

  @KADU-RES-04
  Rule: Each document holds what its row says

    Scenario: The document me holds person, organization and scopes
      When the assistant reads me
      Then the document tells the person, the organization and every scope of the token

    Scenario Outline: A planted record shows in <resource>
      Given a record of <collection> planted with the <field> <value>
      When the assistant reads <resource> of it
      Then the document holds the planted record

      Examples:
        | collection   | field          | value                | resource          |
        | workspaces   | name           | "Tesouraria canária" | workspaces/{id}   |
        | activities   | name           | "Conciliação canária" | activities/{id}  |
        | tasks        | name           | "Baixa canária"      | tasks/{id}        |
        | executions   | reference_date | "2019-02-28"         | executions/{id}   |
        | memories     | content        | "Lembrança canária"  | memories/{id}     |
        | environments | name           | "Ambiente canário"   | environments/{id} |
        | schedules    | cron           | "7 3 * * 1"          | schedules/{id}    |

    Scenario: A task comes with the schema of its parameters
      When the assistant reads tasks/{id}
      Then the document holds the parameters_schema of the record

    Scenario Outline: The repository comes with its <field>
      When the assistant reads repository
      Then the document holds the <field> of the record

      Examples:
        | field    |
        | playbook |
        | skills   |

    Scenario Outline: The document <resource> is of that execution and no other
      When the assistant reads <resource>
      Then the document holds every record of <collection> of that execution and no other

      Examples:
        | resource               | collection |
        | executions/{id}/events | events     |
        | executions/{id}/logs   | logs       |
        | executions/{id}/todos  | todos      |

    Scenario: The approvals come newest first
      Given an assistant without forms
      And three approvals, a minute apart
      When the assistant lists the approvals
      Then the resource of approvals lists the same

    Scenario: An approval holds what was asked
      Given an assistant without forms
      And an approval that is pending
      When the assistant reads its own approval
      Then the document tells what was asked

    Scenario: An approval holds its decision and what was returned
      Given an assistant without forms
      And an approval that is executed
      Then the tool and the resource show that it is executed
      And the document holds the same records as kadu_operation_approvals_get

  @KADU-RES-05
  Rule: A row is listed to those who may run its tool, and to nobody else

    Scenario Outline: Without the scope of <tool> the row <resource> is gone
      Given the token lacks the scope <scope>
      When the assistant lists every row
      Then the row <resource> is not listed
      And with every scope the row <resource> is listed

      Examples:
        | resource                 | tool                         | scope              |
        | repository               | kadu_repository_get          | kadu/repository    |
        | operation_approvals      | kadu_operation_approvals_list | kadu/system_events |
        | operation_approvals/{id} | kadu_operation_approvals_get | kadu/system_events |
        | workspaces/{id}          | kadu_workspaces_get          | kadu/workspaces    |
        | activities/{id}          | kadu_activities_get          | kadu/activities    |
        | tasks/{id}               | kadu_tasks_get               | kadu/tasks         |
        | executions/{id}          | kadu_executions_get          | kadu/executions    |
        | executions/{id}/events   | kadu_executions_events_list  | kadu/executions    |
        | executions/{id}/logs     | kadu_executions_logs_list    | kadu/executions    |
        | executions/{id}/todos    | kadu_executions_todos_list   | kadu/executions    |
        | memories/{id}            | kadu_memories_get            | kadu/memories      |
        | environments/{id}        | kadu_environments_get        | kadu/environments  |
        | schedules/{id}           | kadu_schedules_get           | kadu/schedules     |

    Scenario Outline: Without the permission for <tool> the row <resource> is gone
      Given the person lacks the permission <permission>
      When the assistant lists every row
      Then the row <resource> is not listed
      And with every permission the row <resource> is listed

      Examples:
        | resource                 | tool                          | permission                     |
        | repository               | kadu_repository_get           | agent.repository.read          |
        | operation_approvals      | kadu_operation_approvals_list | agent.operation_approvals.read |
        | operation_approvals/{id} | kadu_operation_approvals_get  | agent.operation_approvals.read |
        | workspaces/{id}          | kadu_workspaces_get           | agent.workspaces.read          |
        | activities/{id}          | kadu_activities_get           | agent.activities.read          |
        | tasks/{id}               | kadu_tasks_get                | agent.tasks.read               |
        | executions/{id}          | kadu_executions_get           | agent.executions.read          |
        | executions/{id}/events   | kadu_executions_events_list   | agent.execution_events.read    |
        | executions/{id}/logs     | kadu_executions_logs_list     | agent.execution_logs.read      |
        | executions/{id}/todos    | kadu_executions_todos_list    | agent.execution_todos.read     |
        | memories/{id}            | kadu_memories_get             | agent.memories.read            |
        | environments/{id}        | kadu_environments_get         | agent.environments.read        |
        | schedules/{id}           | kadu_schedules_get            | agent.schedules.read           |

    Scenario: A token without one scope is listed every other row
      Given the token lacks the scope kadu/memories
      When the assistant lists every row
      Then these and no other addresses of the product are listed
        | me                       |
        | repository               |
        | operation_approvals      |
        | operation_approvals/{id} |
        | workspaces/{id}          |
        | activities/{id}          |
        | tasks/{id}               |
        | executions/{id}          |
        | executions/{id}/events   |
        | executions/{id}/logs     |
        | executions/{id}/todos    |
        | environments/{id}        |
        | schedules/{id}           |

    Scenario Outline: A person without <permission> alone is listed every other row
      Given the person lacks the permission <permission>
      When the assistant lists every row
      Then these and no other addresses of the product are listed
        | me                       |
        | repository               |
        | operation_approvals      |
        | operation_approvals/{id} |
        | workspaces/{id}          |
        | activities/{id}          |
        | tasks/{id}               |
        | executions/{id}          |
        | executions/{id}/events   |
        | executions/{id}/logs     |
        | executions/{id}/todos    |
        | memories/{id}            |
        | environments/{id}        |

      Examples:
        | permission           |
        | agent.schedules.read |

  @KADU-RES-06
  Rule: Reading what the caller may not run is an insufficient permission

    Scenario Outline: Reading <resource> without its scope is refused
      Given the token lacks the scope <scope>
      When the assistant reads <resource>
      Then the read is refused for want of permission
      And with every scope the same read is answered

      Examples:
        | resource               | scope              |
        | repository             | kadu/repository    |
        | operation_approvals    | kadu/system_events |
        | workspaces/{id}        | kadu/workspaces    |
        | tasks/{id}             | kadu/tasks         |
        | executions/{id}        | kadu/executions    |
        | executions/{id}/events | kadu/executions    |
        | executions/{id}/logs   | kadu/executions    |
        | executions/{id}/todos  | kadu/executions    |

    Scenario Outline: Reading <resource> without the permission is refused
      Given the person lacks the permission <permission>
      When the assistant reads <resource>
      Then the read is refused for want of permission
      And with every permission the same read is answered

      Examples:
        | resource               | permission                  |
        | workspaces/{id}        | agent.workspaces.read       |
        | tasks/{id}             | agent.tasks.read            |
        | executions/{id}        | agent.executions.read       |
        | executions/{id}/events | agent.execution_events.read |
        | executions/{id}/logs   | agent.execution_logs.read   |
        | executions/{id}/todos  | agent.execution_todos.read  |

    Scenario Outline: No record of <resource> is refused for want of permission too
      Given the token lacks the scope <scope>
      When the assistant reads <resource> of a record that does not exist
      Then the read is refused for want of permission

      Examples:
        | resource                 | scope              |
        | tasks/{id}               | kadu/tasks         |
        | operation_approvals/{id} | kadu/system_events |

    Scenario: Without any scope every document that a tool reads is refused
      Given the token lacks every scope
      When the assistant reads each of these, of a record and of none
        | repository               |
        | operation_approvals      |
        | operation_approvals/{id} |
        | workspaces/{id}          |
        | activities/{id}          |
        | tasks/{id}               |
        | executions/{id}          |
        | executions/{id}/events   |
        | executions/{id}/logs     |
        | executions/{id}/todos    |
        | memories/{id}            |
        | environments/{id}        |
        | schedules/{id}           |
      Then each read is refused for want of permission
      And with every scope each read of a record is answered

    Scenario: Without any permission every document that a tool reads is refused
      Given the person lacks every permission
      When the assistant reads each of these, of a record and of none
        | repository               |
        | operation_approvals      |
        | operation_approvals/{id} |
        | workspaces/{id}          |
        | activities/{id}          |
        | tasks/{id}               |
        | executions/{id}          |
        | executions/{id}/events   |
        | executions/{id}/logs     |
        | executions/{id}/todos    |
        | memories/{id}            |
        | environments/{id}        |
        | schedules/{id}           |
      Then each read is refused for want of permission
      And with every permission each read of a record is answered

    Scenario: What a colleague has read is refused all the same
      Given the token lacks the scope kadu/tasks
      When the colleague's assistant reads tasks/{id}
      And that read can be judged
      When the assistant reads tasks/{id}
      Then the read is refused for want of permission

  @KADU-RES-07
  Rule: No document holds the bytes of a file

    @read-only
    Scenario: No address and no template is about files
      When the assistant lists every row
      Then no row is about files

    Scenario Outline: The document <resource> is text
      When the assistant reads <resource>
      And that read can be judged
      Then the document is JSON text

      Examples:
        | resource               |
        | me                     |
        | repository             |
        | tasks/{id}             |
        | executions/{id}/events |

    Scenario: Downloading gives an address and no bytes
      When the assistant calls kadu_files_download
      Then the call succeeds
      And the result holds no bytes, and an address that serves the file without a token

  @KADU-RES-08
  Rule: An unknown address is not found

    @read-only
    Scenario Outline: Reading the unknown address <address> is refused as not found
      When the assistant reads the address <address>
      Then the read is refused as not found
      And the next read is answered

      Examples:
        | address                            |
        | kobana://kadu/unheard_of           |
        | kobana://dunning/me                |
        | kobana://kadu/secrets/1            |
        | kobana://kadu/tasks                |
        | kobana://kadu/tasks/               |
        | kobana://kadu/tasks/%FF            |
        | kobana://kadu/tasks/..%2Fsecrets   |
        | kobana://kadu/executions//events   |
        | kobana://kadu/me/more              |
        | https://example.com/me             |

    Scenario Outline: There is no <resource>, though there is such a record
      When the assistant reads <resource>
      Then the read is refused as not found
      And the next read is answered

      Examples:
        | resource              |
        | tasks/{id}/events     |
        | executions/{id}/files |
        | files/{id}            |
        | webhooks/{id}         |
        | secrets/{id}          |

    @advisory
    @read-only
    Scenario Outline: The spelling <address> of a known address is served or not found
      When the assistant reads the address <address>
      Then the read is answered or refused as not found
      And the next read is answered

      Examples:
        | address                  |
        | KOBANA://kadu/me         |
        | kobana://kadu/%6de       |
        | kobana://kadu/x/../me    |
        | kobana://kadu/me/        |

    Scenario: An id of ten thousand letters is not found or refused by HTTP
      When the assistant reads a task with an id of 10000 letters
      Then the read is refused as not found, or by HTTP
      And the next read is answered

  @KADU-RES-09
  Rule: A record that is not in this organization is not found

    Scenario Outline: Reading <resource> of no record is refused as not found
      When the assistant reads <resource> of a record that does not exist
      Then the read is refused as not found
      And the next read is answered

      Examples:
        | resource               |
        | workspaces/{id}        |
        | activities/{id}        |
        | tasks/{id}             |
        | executions/{id}        |
        | executions/{id}/events |
        | executions/{id}/logs   |
        | executions/{id}/todos  |
        | memories/{id}          |
        | environments/{id}      |
        | schedules/{id}         |

    Scenario Outline: The <collection> of another organization look like none at all
      When the assistant reads <resource> of another organization
      Then the read is refused as not found
      And the refusal is the same as for a record that does not exist

      Examples:
        | collection | resource               |
        | workspaces | workspaces/{id}        |
        | tasks      | tasks/{id}             |
        | executions | executions/{id}        |
        | events     | executions/{id}/events |

    Scenario Outline: What another organization has read in <resource> is not found all the same
      When a stranger's assistant reads <resource> of another organization
      And that read can be judged
      When the assistant reads <resource> of another organization
      Then the read is refused as not found
      And the refusal is the same as for a record that does not exist

      Examples:
        | resource        |
        | tasks/{id}      |
        | executions/{id} |

  @KADU-RES-10
  Rule: Nobody subscribes to changes

    @read-only
    Scenario: Neither subscriptions nor changed lists are offered
      When the assistant asks what the server offers
      Then neither subscriptions nor changed lists are offered

    @era-2025
    Scenario: A subscription is refused
      When the assistant subscribes to me
      Then the request is answered by an error

    @era-2026
    Scenario: Listening gives nothing but the acknowledgement
      When the assistant listens for changes while a record changes
      Then the listening is refused or brings nothing

    Scenario: What changes something announces no change
      When the assistant lists the tools
      And the assistant calls kadu_workspaces_create
      Then the call succeeds
      And no answer so far announces a change

  @KADU-RES-11
  Rule: No session is needed

    @era-2025
    Scenario: A request without the session id is served the same
      When the assistant reads me
      And the assistant forgets its session
      And the assistant reads me
      Then both reads hold the same

    @advisory
    @era-2026
    @read-only
    Scenario: No session id is given out
      When the assistant reads me
      Then the answer carries no session id

  @KADU-RES-12
  Rule: Reading leaves no effect

    Scenario Outline: Reading <resource> changes nothing
      When the assistant reads <resource>
      And that read can be judged
      Then the upstream was asked
      And nothing ran

      Examples:
        | resource               |
        | me                     |
        | repository             |
        | operation_approvals    |
        | workspaces/{id}        |
        | activities/{id}        |
        | tasks/{id}             |
        | executions/{id}        |
        | executions/{id}/events |
        | executions/{id}/logs   |
        | executions/{id}/todos  |
        | memories/{id}          |
        | environments/{id}      |
        | schedules/{id}         |

    Scenario: Reading an approval changes nothing
      Given an assistant without forms
      And an approval that is pending
      Then the tool and the resource show that it is pending
      And nothing ran
