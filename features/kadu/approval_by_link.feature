Feature: Approval by link

  A client that cannot show a form still uses destructive tools, but by a link: the server stores the
  call, the assistant shows an address, and a person decides on the console, with the permissions and
  the data of that moment. One link decides one call, once, for fifteen minutes.

  Background:
    Given an assistant without forms

  @KADU-APR-01
  Rule: A destructive call runs nothing and answers where it is decided

    Scenario Outline: The call of <tool> waits for an approval
      Given the server offers <tool>
      When the assistant calls <tool>
      Then the call waits for an approval
      And nothing ran
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

    @era-2025
    Scenario: In the handshake era it waits for an approval whatever the client shows
      Given an assistant that shows forms
      When the assistant calls kadu_tasks_run
      Then the call waits for an approval
      And nothing ran
      And confirmed the call runs once

    Scenario Outline: The argument <argument> of the call itself is no approval
      When the assistant calls kadu_tasks_run with <argument> set to true
      Then nothing ran
      And confirmed the call runs once

      Examples:
        | argument |
        | confirm  |
        | approved |

  @KADU-APR-02
  Rule: The answer says until when, where, and how to follow it

    Scenario: An approval expires in fifteen minutes
      When the assistant calls kadu_tasks_run
      Then the approval expires 15 minutes from now

    Scenario: An approval names its resource, and it reads
      When the assistant calls kadu_tasks_run
      Then the approval names its resource, which reads as pending

    Scenario: An approval names the tool to check with
      When the assistant calls kadu_tasks_run
      Then the approval is to be checked with kadu_operation_approvals_get and its id

    Scenario: An approval has an absolute address
      When the assistant calls kadu_tasks_run
      Then the approval has an absolute address

  @KADU-APR-03
  Rule: The message tells to show the address and not to call again

    @advisory
    Scenario: The message says both
      When the assistant calls kadu_tasks_run
      Then the message tells to show the address and not to call again

  @KADU-APR-04
  Rule: Calling again makes another approval

    Scenario: Two equal calls are two approvals
      When the assistant calls kadu_tasks_run
      Then the call waits for an approval
      When the assistant calls the same again
      Then the call waits for another approval
      And the upstream holds 2 approvals
      And nothing ran

    Scenario: A call that was approved waits for another approval when it comes again
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And the person continues
      Then it ran once
      And the approval is executed
      When the assistant calls the same again
      Then the call waits for another approval
      And nothing ran

  @KADU-APR-05
  Rule: How to check is said to those who may check

    Scenario: Without the scope of the reading tool check_with alone is absent
      Given the token lacks the scope kadu/system_events
      When the assistant calls kadu_tasks_run
      Then the call waits for an approval, and check_with alone is absent

    Scenario Outline: Without the permission <permission> check_with alone is absent
      Given the person lacks the permission <permission>
      When the assistant calls kadu_tasks_run
      Then the call waits for an approval, and check_with alone is absent

      Examples:
        | permission                     |
        | agent.operation_approvals.read |

    Scenario: With scope and permission check_with is there
      When the assistant calls kadu_tasks_run
      Then the approval is to be checked with kadu_operation_approvals_get and its id

  @KADU-APR-06
  Rule: The link goes through the login and comes back

    Scenario: Somebody without a session logs in and sees what waits
      When the assistant calls kadu_tasks_run
      And the person opens the link without a session
      Then the console asks for a login
      When the person logs in
      Then the page shows what waits for a decision

  @KADU-APR-07
  Rule: The screen shows what will happen, who asked, and with what

    Scenario Outline: The screen for <tool> says it in words
      When the assistant calls <tool>
      And the person opens the link
      Then the page says "<words>"
      And the page shows who asked, by which client, and every argument
      And the page shows the record it is about

      Examples:
        | tool                        | words               |
        | kadu_tasks_run              | Executar a tarefa   |
        | kadu_environments_delete    | Excluir o ambiente  |

    Scenario: The screen shows an argument that names no record
      When the assistant asks for kadu_tasks_run with all it takes, a key too
      And the person opens the link
      Then the page shows who asked, by which client, and every argument

    Scenario: The screen shows the data of now
      When the assistant calls kadu_environments_delete
      And the name of the record changes
      And the person opens the link
      Then the page says "https://mudou.exemplo.com.br/name"

  @KADU-APR-08
  Rule: Continue runs it, once

    Scenario Outline: Continuing runs <tool>
      When the assistant calls <tool>
      And the person opens the link
      And the person continues
      Then it ran once
      And the approval is executed
      And the approval holds what was returned

      Examples:
        | tool                     |
        | kadu_tasks_run           |
        | kadu_environments_delete |
        | kadu_webhooks_create     |

    Scenario Outline: Continuing runs <tool> with every argument that it was called with
      When the assistant calls <tool> with all it takes
      And the person opens the link
      And the person continues
      Then it ran once

      Examples:
        | tool                       |
        | kadu_tasks_run             |
        | kadu_executions_continue   |
        | kadu_executions_cancel     |
        | kadu_tasks_endpoint_update |
        | kadu_webhooks_create       |
        | kadu_webhooks_update       |

  @KADU-APR-09
  Rule: Cancel ends it without running anything

    Scenario: Cancelling declines
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And the person cancels
      Then the approval is declined
      And nothing ran
      And confirmed the call runs once

  @KADU-APR-10
  Rule: A link decides once

    Scenario: Two continues at once run once
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And the person continues 10 times at once
      Then it ran once
      And the approval is executed

    Scenario: Continuing after cancelling runs nothing
      When the assistant calls kadu_tasks_run
      And the person opens the link in two tabs
      And the person cancels
      And the person continues in the other tab
      Then the approval is declined
      And nothing ran
      And confirmed the call runs once

    Scenario: Cancelling after continuing changes nothing
      When the assistant calls kadu_tasks_run
      And the person opens the link in two tabs
      And the person continues
      And it ran once
      And the person cancels in the other tab
      Then the approval is executed
      And nothing ran

    Scenario: Continuing again runs nothing more
      When the assistant calls kadu_tasks_run
      And the person opens the link in two tabs
      And the person continues
      And it ran once
      And the person continues in the other tab
      Then the approval is executed
      And nothing ran

  @KADU-APR-11
  Rule: A link is worth fifteen minutes

    Scenario: Inside fifteen minutes it runs
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And 14 minutes and 59 seconds pass upstream
      And the person continues
      Then it ran once
      And the approval is executed

    Scenario: Past fifteen minutes nothing runs
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And 15 minutes and 1 second pass upstream
      And the person continues where it is still possible
      Then the approval is expired
      And nothing ran
      And confirmed the call runs once

  @KADU-APR-12
  Rule: It runs with the permissions held now

    Scenario Outline: After the <loss> was lost it fails and nothing changes
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And the caller loses the <loss>
      And the person continues where it is still possible
      Then nothing ran
      And to the mock the approval is failed

      Examples:
        | loss       |
        | permission |
        | token      |

    Scenario: After the membership was lost nothing changes
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And the caller loses the membership
      And the person continues where it is still possible
      Then nothing ran

    Scenario: Without a loss it runs
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And the person continues
      Then it ran once

  @KADU-APR-13
  Rule: Only the person behind the token opens the link

    Scenario: To a colleague the link looks like one that does not exist
      When the assistant calls kadu_tasks_run
      And a colleague opens the link
      Then it looks like a link that does not exist
      And nothing ran
      And confirmed the call runs once

    Scenario: A bearer token opens no page of the console
      When the assistant calls kadu_tasks_run
      And the assistant itself opens the link with its token
      Then it is shown nothing of the approval
      And nothing ran
      And confirmed the call runs once

  @KADU-APR-14
  Rule: A link is dead when what it affects has changed

    Scenario: A change between opening and continuing runs nothing
      When the assistant calls kadu_webhooks_rotate_secret
      And the person opens the link
      And the url of the record changes
      And the person continues
      Then the approval is failed, with the code subject_changed
      And nothing ran
      When the person opens the link
      And the person continues where it is still possible
      Then nothing ran

    Scenario: A change before the opening does not matter
      When the assistant calls kadu_webhooks_rotate_secret
      And the url of the record changes
      And the person opens the link
      And the person continues
      Then it ran once

    Scenario: A change of something else does not matter
      When the assistant calls kadu_webhooks_rotate_secret
      And the person opens the link
      And another webhook changes its url
      And the person continues
      Then it ran once

    Scenario: What counts is what this very page showed
      When the assistant calls kadu_webhooks_rotate_secret
      And the person opens the link
      And the url of the record changes
      And the person opens the link in another tab
      And the person continues in the first tab
      Then nothing ran

    Scenario: A record that was deleted cannot be acted on
      When the assistant calls kadu_webhooks_rotate_secret
      And the person opens the link
      And the record is deleted
      And the person continues
      Then the approval is failed
      And nothing ran

  @KADU-APR-15
  Rule: The settings list the approvals by what became of them

    Scenario Outline: The tab <tab> holds an approval that is <status>, and no other tab does
      Given an approval that is <status>
      When the person opens the settings of approvals
      Then the tab <tab> alone holds the approval
      And its row opens without a button to decide

      Examples:
        | status   | tab        |
        | pending  | Pendentes  |
        | executed | Executadas |
        | declined | Canceladas |
        | failed   | Com falha  |
        | expired  | Expiradas  |

  @KADU-APR-16
  Rule: A secret is shown in clear once

    Scenario Outline: The secret of <tool> is on the page right after continuing, and nowhere else
      When the assistant calls <tool>
      And the person opens the link
      And the person continues
      Then a secret is shown that the reloaded page does not show
      And neither the tool, nor the resource, nor the settings show that secret
      And it ran once

      Examples:
        | tool                        |
        | kadu_webhooks_rotate_secret |
        | kadu_webhooks_create        |

  @KADU-APR-17
  Rule: Reading never decides

    Scenario: Neither fetching the link nor asking the API decides
      When the assistant calls kadu_tasks_run
      And the link is fetched and prefetched with and without a session
      And the asker tries every verb on the approval at the API
      Then the approval is pending
      And nothing ran
      And confirmed the call runs once

    @read-only
    Scenario: No tool decides an approval
      When the assistant lists the tools
      Then no tool named after approvals does anything but read

  @KADU-APR-18
  Rule: The settings hold one's own approvals alone

    Scenario: A colleague's settings hold none of it
      When the assistant calls kadu_tasks_run
      And a colleague opens the settings of approvals
      Then no tab holds the approval
      And the person's own settings hold it

  @KADU-APR-19
  Rule: An operation that fails on continuing is told so

    Scenario: An execution that has ended meanwhile cannot be cancelled
      When the assistant calls kadu_executions_cancel
      And the execution ends behind everybody's back
      And the person opens the link
      And the person continues
      Then the approval is failed, with its error readable
      And nothing ran
