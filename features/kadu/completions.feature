Feature: Completions

  While a user types an argument, the server suggests values: recent ids of the listing behind it, or
  months. It is a convenience under the same permissions as the listing, so it is empty rather than an
  error, and it never tells what the caller could not list.

  Background:
    Given an assistant

  @KADU-CMP-01
  Rule: Ids are those of the matching listing, newest first to come to mind

    Scenario Outline: The argument <argument> of <prompt> is completed from <collection>
      When the assistant completes the argument <argument> of <prompt>
      Then the newest of <collection> is suggested
      When the assistant types the beginning of that id for <argument> of <prompt>
      Then the newest of <collection> is suggested
      And every suggestion contains what was typed

      Examples:
        | prompt               | argument       | collection   |
        | explain_execution    | execution_id   | executions   |
        | check_task_readiness | task_id        | tasks        |
        | check_task_readiness | environment_id | environments |

    Scenario Outline: The id of <template> is completed from <collection>
      When the assistant completes the id of <template>
      Then the newest of <collection> is suggested
      When the assistant types the beginning of that id for <template>
      Then the newest of <collection> is suggested
      And every suggestion contains what was typed

      Examples:
        | template               | collection   |
        | workspaces/{id}        | workspaces   |
        | activities/{id}        | activities   |
        | tasks/{id}             | tasks        |
        | executions/{id}        | executions   |
        | executions/{id}/events | executions   |
        | executions/{id}/logs   | executions   |
        | executions/{id}/todos  | executions   |
        | memories/{id}          | memories     |
        | environments/{id}      | environments |
        | schedules/{id}         | schedules    |

    Scenario: The id of operation_approvals/{id} is completed from one's approvals
      Given an assistant without forms
      And three approvals, a minute apart
      When the assistant completes the id of operation_approvals/{id}
      Then the newest of operation_approvals is suggested
      When the assistant types the beginning of that id for operation_approvals/{id}
      Then the newest of operation_approvals is suggested
      And every suggestion contains what was typed

    Scenario: Where nothing fits what is typed, nothing else is suggested
      When the assistant completes the argument execution_id of explain_execution
      Then the newest of executions is suggested
      When the assistant types no-such-id for execution_id of explain_execution
      Then every suggestion contains what was typed

    Scenario: An id that ends otherwise than what is typed is not suggested
      When the assistant completes the argument execution_id of explain_execution
      Then the newest of executions is suggested
      When the assistant types most of that id for execution_id of explain_execution
      Then the newest of executions is suggested
      And every suggestion contains what was typed
      When the assistant types that id with another end for execution_id of explain_execution
      Then every suggestion contains what was typed

    Scenario: Of many executions the newest is suggested
      Given 150 more executions, one of them on 2026-03-31, one on 2028-02-29 and one on 2027-01-01
      When the assistant completes the id of executions/{id}
      Then the newest of executions is suggested

  @KADU-CMP-02
  Rule: Who may not list is suggested nothing

    Scenario Outline: Without the scope <scope> nothing is suggested for <argument>
      Given the token lacks the scope <scope>
      When the assistant completes the argument <argument> of <prompt>
      Then nothing is suggested, and it is no error
      And with every scope the argument <argument> of <prompt> is suggested something

      Examples:
        | prompt               | argument       | scope             |
        | explain_execution    | execution_id   | kadu/executions   |
        | check_task_readiness | task_id        | kadu/tasks        |
        | check_task_readiness | environment_id | kadu/environments |

    Scenario Outline: Without the permission <permission> nothing is suggested for <template>
      Given the person lacks the permission <permission>
      When the assistant completes the id of <template>
      Then nothing is suggested, and it is no error
      And with every permission the id of <template> is suggested something

      Examples:
        | template               | permission              |
        | workspaces/{id}        | agent.workspaces.read   |
        | executions/{id}        | agent.executions.read   |
        | executions/{id}/events | agent.executions.read   |
        | environments/{id}      | agent.environments.read |

    Scenario Outline: What <caller> was suggested is suggested to nobody else
      Given the token lacks the scope kadu/executions
      When <caller> completes the id of executions/{id}
      Then the newest of executions is suggested
      When the assistant completes the id of executions/{id}
      Then nothing is suggested, and it is no error

      Examples:
        | caller                       |
        | the colleague's assistant    |
        | the person's other assistant |

  @KADU-CMP-03
  Rule: A month is one of the last twelve

    Scenario Outline: On <now> the last twelve months are suggested
      Given it is <now>
      When the assistant completes the argument month of monthly_usage_report
      Then twelve consecutive months are suggested, up to <current> or the month before

      Examples:
        | now                  | current |
        | 2026-11-30T15:00:00Z | 2026-11 |
        | 2026-03-31T15:00:00Z | 2026-03 |
        | 2028-02-29T15:00:00Z | 2028-02 |
        | 2027-01-01T15:00:00Z | 2027-01 |

    @advisory
    Scenario: Months are filtered by what is typed
      Given it is 2026-11-30T15:00:00Z
      When the assistant types 2026-0 for month of monthly_usage_report
      Then every suggestion contains what was typed

  @KADU-CMP-04
  Rule: At most a hundred values are suggested

    Scenario: Of 150 executions at most a hundred are suggested
      Given 150 more executions, one of them on 2026-03-31, one on 2028-02-29 and one on 2027-01-01
      When the assistant completes the argument execution_id of explain_execution
      Then at least one and at most 100 values are suggested
      And the newest of executions is suggested

    @advisory
    Scenario: What was left out is said to be
      Given 150 more executions, one of them on 2026-03-31, one on 2028-02-29 and one on 2027-01-01
      When the assistant completes the argument execution_id of explain_execution
      Then the suggestion says that there are more

  @KADU-CMP-05
  Rule: Without a source nothing is suggested

    Scenario: Nothing is suggested for the date since
      When the assistant completes the argument since of review_failed_executions
      Then nothing is suggested, and it is no error
      When the assistant types 2026 for since of review_failed_executions
      Then nothing is suggested, and it is no error
      And with every scope the argument execution_id of explain_execution is suggested something

    Scenario: An argument that nobody knows is suggested nothing or refused
      When the assistant completes the argument unheard_of of explain_execution
      Then nothing is suggested, or the request is refused as invalid
      And with every scope the argument execution_id of explain_execution is suggested something

  @KADU-CMP-06
  Rule: Nothing of another organization is suggested

    Scenario Outline: No id of another organization is suggested for <template>
      Given another organization
      When the assistant completes the id of <template>
      Then the newest of <collection> is suggested
      And no id of the other organization is suggested
      And typing the beginning of such an id for <template> suggests none of them

      Examples:
        | template        | collection |
        | workspaces/{id} | workspaces |
        | tasks/{id}      | tasks      |
        | executions/{id} | executions |

    Scenario: What another organization was suggested is suggested to nobody else
      Given another organization
      When a stranger's assistant completes the id of tasks/{id}
      And the assistant completes the id of tasks/{id}
      Then the newest of tasks is suggested
      And no id of the other organization is suggested

    Scenario: No approval of a colleague is suggested
      Given an assistant without forms
      And an approval of a colleague
      And an approval that is pending
      When the colleague's assistant completes the id of operation_approvals/{id}
      And the assistant completes the id of operation_approvals/{id}
      Then the newest of operation_approvals is suggested
      And no approval of the colleague is suggested
