Feature: Idempotency

  A client that times out and tries again, or a model that is not sure whether something worked, is
  just what puts a second payment into the queue. The key makes the second try safe: it belongs to
  one operation of the business, for a day, within the organization.

  Background:
    Given an assistant that shows forms

  @KADU-IDM-01
  Rule: Every tool that changes something takes a key, and no other does

    Scenario: The twenty-eight tools take an optional key
      When the assistant lists the tools
      Then these tools take an optional text idempotency_key
        | kadu_organizations_update      |
        | kadu_workspaces_create         |
        | kadu_workspaces_update         |
        | kadu_activities_create         |
        | kadu_activities_update         |
        | kadu_tasks_create              |
        | kadu_tasks_update              |
        | kadu_tasks_endpoint_update     |
        | kadu_tasks_run                 |
        | kadu_executions_cancel         |
        | kadu_executions_continue       |
        | kadu_todos_update              |
        | kadu_memories_create           |
        | kadu_memories_update           |
        | kadu_environments_create       |
        | kadu_environments_update       |
        | kadu_secrets_create            |
        | kadu_secrets_update            |
        | kadu_schedules_create          |
        | kadu_schedules_update          |
        | kadu_files_create              |
        | kadu_files_confirm             |
        | kadu_repository_sync           |
        | kadu_webhooks_create           |
        | kadu_webhooks_update           |
        | kadu_webhooks_rotate_secret    |
        | kadu_webhook_deliveries_replay |
        | kadu_roles_create              |

    @read-only
    Scenario: Reading and deleting tools take no key
      When the assistant lists the tools
      Then no tool named get, list or delete takes idempotency_key

    @advisory
    @read-only
    Scenario: The schema says how long a key may be
      When the assistant lists the tools
      Then every idempotency_key is said to have 1 to 255 characters

  @KADU-IDM-02
  Rule: The key travels as a header, as it was given

    Scenario Outline: The key of <tool> is the header of its route
      When the assistant calls <tool> with a key
      Then the call succeeds
      And it ran once
      And the upstream saw the key as the header x-idempotency-key, and not in the body

      Examples: Ordinary writes
        | tool |
        | kadu_organizations_update |
        | kadu_workspaces_create    |
        | kadu_workspaces_update    |
        | kadu_activities_create    |
        | kadu_activities_update    |
        | kadu_tasks_create         |
        | kadu_tasks_update         |
        | kadu_todos_update         |
        | kadu_memories_create      |
        | kadu_memories_update      |
        | kadu_environments_create  |
        | kadu_environments_update  |
        | kadu_secrets_create       |
        | kadu_secrets_update       |
        | kadu_schedules_create     |
        | kadu_schedules_update     |
        | kadu_files_create         |
        | kadu_files_confirm        |
        | kadu_repository_sync      |
        | kadu_webhooks_update      |
        | kadu_roles_create         |

      @era-2026
      Examples: Confirmed in the chat
        | tool |
        | kadu_tasks_run                 |
        | kadu_executions_continue       |
        | kadu_executions_cancel         |
        | kadu_webhook_deliveries_replay |
        | kadu_webhooks_rotate_secret    |
        | kadu_tasks_endpoint_update     |
        | kadu_webhooks_create           |

    Scenario: Capital letters stay as they are
      When the assistant calls kadu_workspaces_create with the key "Disparo-OUT-2026"
      Then the call succeeds
      And it ran once
      And the upstream saw the key as the header x-idempotency-key, and not in the body

  @KADU-IDM-03
  Rule: A key is a text of 1 to 255 characters

    Scenario Outline: A key of <length> visible characters works
      When the assistant calls kadu_workspaces_create with a key of <length> characters
      Then the call succeeds
      And it ran once
      And the upstream saw the key as the header x-idempotency-key, and not in the body

      Examples:
        | length |
        | 1      |
        | 255    |

    Scenario Outline: A key of <length> characters is refused
      When the assistant calls kadu_workspaces_create with a key of <length> characters
      Then the call is refused
      And nothing ran
      And with another key the same call runs once

      Examples:
        | length |
        | 0      |
        | 256    |

    @era-2026
    Scenario Outline: A key of <length> characters is refused where a yes is asked for, too
      When the assistant calls kadu_tasks_run with a key of <length> characters
      Then the call is refused
      And nothing ran
      And with another key the same call runs once

      Examples:
        | length |
        | 0      |
        | 256    |

    @read-only
    Scenario: No tool says less of a key than 1 to 255 characters
      When the assistant lists the tools
      Then no idempotency_key is said to be narrower than 1 to 255 characters

    Scenario Outline: The visible characters <key> go through unchanged
      When the assistant calls kadu_workspaces_create with the key <key>
      Then the call succeeds
      And it ran once
      And the upstream saw the key as the header x-idempotency-key, and not in the body

      Examples:
        | key                      |
        | "-disparo-2026-10-30_"   |
        | "_A b:c;d,e/f?g=h&i."    |
        | ".~!@#$%^&*()_+{}[]<>-"  |
        | "=?base64?Zm9v?="        |

    Scenario Outline: A key with <peculiarity> works or is refused clearly
      When the assistant calls kadu_workspaces_create with a key that has <peculiarity>
      Then the call succeeds and its repetition replays, or it is refused and nothing runs
      And with another key the same call runs once

      Examples:
        | peculiarity             |
        | an emoji                |
        | letters with accents    |
        | a space at its end      |
        | a space at its start    |

    Scenario Outline: Two keys that differ in <difference> are not taken for one
      When the assistant calls kadu_workspaces_create with a key that has <difference>
      And the assistant makes the call with a key that differs from it in just that
      Then as many calls ran as were not refused
      And with another key the same call runs once

      Examples:
        | difference           |
        | an emoji             |
        | letters with accents |

    Scenario Outline: A key with <control> smuggles nothing
      When the assistant calls kadu_workspaces_create with a key that has <control>
      Then the call is refused
      And nothing ran
      And no header was smuggled
      And with another key the same call runs once

      Examples:
        | control                   |
        | a line end and a header   |
        | a line feed and a header  |
        | a zero byte               |

  @KADU-IDM-04
  Rule: The same key with the same arguments replays the first answer

    Scenario Outline: Repeating <tool> with its key answers the same and runs nothing
      When the assistant calls <tool> with a key
      Then the call succeeds
      And it ran once
      When the assistant repeats the call with the same key
      Then the answer is the first one again
      And nothing ran

      Examples: Ordinary writes
        | tool |
        | kadu_organizations_update |
        | kadu_workspaces_create    |
        | kadu_workspaces_update    |
        | kadu_activities_create    |
        | kadu_activities_update    |
        | kadu_tasks_create         |
        | kadu_tasks_update         |
        | kadu_todos_update         |
        | kadu_memories_create      |
        | kadu_memories_update      |
        | kadu_environments_create  |
        | kadu_environments_update  |
        | kadu_secrets_create       |
        | kadu_secrets_update       |
        | kadu_schedules_create     |
        | kadu_schedules_update     |
        | kadu_files_create         |
        | kadu_files_confirm        |
        | kadu_repository_sync      |
        | kadu_webhooks_update      |
        | kadu_roles_create         |

      @era-2026
      Examples: Confirmed in the chat
        | tool |
        | kadu_tasks_run                 |
        | kadu_executions_continue       |
        | kadu_executions_cancel         |
        | kadu_webhook_deliveries_replay |
        | kadu_tasks_endpoint_update     |

    @era-2026
    Scenario Outline: Repeating <tool> with its key runs nothing, whatever becomes of its secret
      When the assistant calls <tool> with a key
      Then the call succeeds
      And it ran once
      When the assistant repeats the call with the same key
      Then the answer is the first one again, its secret aside
      And nothing ran

      Examples:
        | tool |
        | kadu_webhooks_create        |
        | kadu_webhooks_rotate_secret |

    Scenario: The order of the arguments does not matter
      When the assistant calls kadu_environments_create with a key
      And it ran once
      And the assistant repeats the call with the same key and its arguments in another order
      Then the answer is the first one again
      And nothing ran

    Scenario: A replay does not tell what became of the record since
      When the assistant calls kadu_environments_update with a key
      And it ran once
      And the name of the record changes
      And the assistant repeats the call with the same key
      Then the answer is the first one again
      And nothing ran

    Scenario: Twenty equal calls with one key at once run once
      When the assistant calls kadu_workspaces_create 20 times at once with one key
      Then it ran once
      And each of the answers is the same, or says IDEMPOTENCY_REQUEST_IN_PROGRESS
      When the assistant repeats the call with the same key
      Then the answer is the one that succeeded
      And nothing ran

    Scenario: A call whose answer was lost replays when it is tried again
      Given the upstream loses its next answer to kadu_workspaces_create
      When the assistant calls kadu_workspaces_create with a key
      And the assistant repeats the call with the same key
      Then the call succeeds
      And it ran once

  @KADU-IDM-05
  Rule: The same key with other arguments is refused as reused

    Scenario Outline: The key of a call of <tool> does not fit other arguments
      When the assistant calls <tool> with a key
      And it ran once
      And the assistant calls it with the same key and other arguments
      Then the result is the error IDEMPOTENCY_KEY_REUSED
      And nothing ran
      When the assistant repeats the call with the same key
      Then the answer is the first one again
      And nothing ran

      Examples:
        | tool                     |
        | kadu_workspaces_create   |
        | kadu_memories_create     |
        | kadu_environments_update |

      @era-2026
      Examples: Confirmed in the chat
        | tool           |
        | kadu_tasks_run |

    @advisory
    Scenario: The key of one tool does not fit another
      When the assistant calls kadu_workspaces_create with a key
      And it ran once
      And the assistant calls kadu_memories_create with the same key
      Then the result is the error IDEMPOTENCY_KEY_REUSED
      And nothing ran

  @KADU-IDM-06
  Rule: A repetition while the first runs is told so

    Scenario: Of two equal calls the second is told that the first still runs
      Given the upstream takes its time with kadu_workspaces_create
      When the assistant makes two equal calls of kadu_workspaces_create with one key at once
      Then one of them is told IDEMPOTENCY_REQUEST_IN_PROGRESS while the other runs
      And when the upstream is done the other succeeds
      And it ran once
      When the assistant repeats the call with the same key
      Then the answer is the one that succeeded
      And nothing ran

    @era-2026
    Scenario: Of two confirmed calls the second is told that the first still runs
      Given the upstream takes its time with kadu_tasks_run
      When the assistant asks for kadu_tasks_run with a key
      And the assistant asks for the same call with the same key again
      And both questions are answered with yes at once
      Then one of them is told IDEMPOTENCY_REQUEST_IN_PROGRESS while the other runs
      And when the upstream is done the other succeeds
      And it ran once

  @KADU-IDM-07
  Rule: A key is worth 24 hours

    Scenario: A key replays after 23 hours and 59 minutes
      When the assistant calls kadu_workspaces_create with a key
      And it ran once
      And 23 hours and 59 minutes pass
      And the assistant repeats the call with the same key
      Then the answer is the first one again
      And nothing ran

    Scenario: A key is forgotten after 24 hours and 1 minute
      When the assistant calls kadu_workspaces_create with a key
      And it ran once
      And 24 hours and 1 minute pass
      And the assistant repeats the call with the same key
      Then the call succeeds
      And it ran once more, a day later

    Scenario: A replay does not prolong a key
      When the assistant calls kadu_workspaces_create with a key
      And it ran once
      And 23 hours and 59 minutes pass
      And the assistant repeats the call with the same key
      And 2 minutes pass
      And the assistant repeats the call with the same key
      Then the call succeeds
      And it ran once more, a day later

  @KADU-IDM-08
  Rule: A key belongs to the organization

    Scenario: The same key in another organization is another key
      When the assistant calls kadu_workspaces_create with a key
      And it ran once
      And the assistant in the other organization makes the same call with the same key
      Then the call succeeds
      And it ran once

    Scenario: A colleague's call with the same key is a repetition
      When the assistant calls kadu_workspaces_create with a key
      And it ran once
      And the colleague's assistant makes the same call with the same key
      Then the answer is the first one again
      And nothing ran

  @KADU-IDM-09
  Rule: The result carries the body alone

    Scenario Outline: The replay of <tool> shows no trace of the upstream's header
      When the assistant calls <tool> with a key
      And it ran once
      And the assistant repeats the call with the same key
      Then the answer is the first one again
      And it shows no trace of being a replay

      Examples:
        | tool                     |
        | kadu_workspaces_create   |
        | kadu_environments_update |

  @KADU-IDM-10
  Rule: A secret that is shown once is null in the replay

    @era-2026
    Scenario Outline: The secret of <tool> is gone from its replay
      When the assistant calls <tool> with a key
      Then the call succeeds
      And it ran once
      When the assistant repeats the call with the same key
      Then the answer is the first one again, with its secret null
      And nothing ran

      Examples:
        | tool                        |
        | kadu_webhooks_create        |
        | kadu_webhooks_rotate_secret |

    Scenario Outline: The secret of <tool> is not shown by a second link with the same key
      Given an assistant without forms
      When the assistant asks for <tool> with a key
      And the person opens the link
      And the person continues
      Then a secret is shown that the reloaded page does not show
      And it ran once
      When the assistant asks for the same call with the same key again
      And the person opens the new link
      And the person continues
      Then the page does not show that secret
      And nothing ran

      Examples:
        | tool                        |
        | kadu_webhooks_create        |
        | kadu_webhooks_rotate_secret |

  @KADU-IDM-11
  Rule: Deleting again is not found

    Scenario Outline: A second <tool> by link finds nothing
      Given an assistant without forms
      And the server offers <tool>
      When the assistant calls <tool>
      And the person opens the link
      And the person continues
      Then it ran once
      When the assistant calls the same again
      Then it comes to NOT_FOUND, at once or when the person continues
      And nothing ran

      Examples:
        | tool                     |
        | kadu_environments_delete |
        | kadu_webhooks_delete     |
        | kadu_memories_delete     |

    @era-2026
    Scenario Outline: A second <tool> finds nothing
      Given the server offers <tool>
      When the assistant calls <tool>, and yes is said where it asks
      Then the call succeeds
      And it ran once
      When the assistant makes the very same call again, and yes is said where it asks
      Then the result is the error NOT_FOUND
      And nothing ran

      Examples:
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

  @KADU-IDM-12
  Rule: Two confirmed calls with one key run once

    Scenario Outline: Two links with one key run <tool> once
      Given an assistant without forms
      When the assistant asks for <tool> with a key
      And the person opens the link
      And the assistant asks for the same call with the same key again
      And the person continues
      Then it ran once
      When the person opens the new link
      And the person continues
      Then nothing ran
      And the new approval holds what the first one holds

      Examples:
        | tool           |
        | kadu_tasks_run |

      @era-2025
      Examples: The others that act by a key
        | tool                           |
        | kadu_executions_continue       |
        | kadu_executions_cancel         |
        | kadu_webhook_deliveries_replay |
        | kadu_tasks_endpoint_update     |

    @era-2026
    Scenario: A yes in the chat and a link with one key run once
      When the assistant calls kadu_tasks_run with a key
      Then it ran once
      When the same call with the same key is made without forms
      And the person opens the new link
      And the person continues
      Then nothing ran
      And the new approval holds what the chat answered

    @era-2026
    Scenario: Each call asks again, and the second yes answers the first response
      When the assistant asks for kadu_tasks_run with a key
      And the assistant asks for the same call with the same key again
      Then the server asks for a yes
      And nothing ran
      When both questions are answered with yes
      Then it ran once
      And the second answer is the first one again

    @era-2026
    Scenario: An answer lost after the yes is found again with the key
      Given the upstream loses its next answer to kadu_tasks_run
      When the assistant calls kadu_tasks_run with a key
      And the confirmed call is sent again
      Then the result is the error confirmation_replayed
      When the assistant repeats the call with the same key
      Then the call succeeds
      And it ran once

    @era-2026
    Scenario: A question is not what a key remembers
      When the assistant asks for kadu_tasks_run with a key
      Then the server asks for a yes
      When the person says yes
      Then the call succeeds
      And it ran once

    @era-2026
    Scenario: A no is not what a key remembers
      When the assistant asks for kadu_tasks_run with a key
      And the person chooses to decline
      And the assistant asks for the same call with the same key again
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

    @era-2026
    Scenario: A yes given before does not answer for the same key
      When the assistant calls kadu_tasks_run with a key
      Then it ran once
      When the assistant asks for the same call with the same key again
      Then the server asks for a yes
      And nothing ran

    Scenario: A link given before does not answer for the same key
      Given an assistant without forms
      When the assistant asks for kadu_tasks_run with a key
      Then the call waits for an approval
      When the assistant asks for the same call with the same key again
      Then the call waits for another approval
      And nothing ran

  @KADU-IDM-13
  Rule: Without a key two equal calls run twice

    Scenario: The same write twice without a key runs twice
      When the assistant calls kadu_workspaces_create without a key
      Then it ran once
      When the assistant makes the very same call again, and yes is said where it asks
      Then it ran once

    Scenario: Two links without a key run twice
      Given an assistant without forms
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And the person continues
      Then it ran once
      When the assistant calls the same again
      And the person opens the new link
      And the person continues
      Then it ran once

  @KADU-IDM-14
  Rule: What began is remembered, errors included; what was refused is not

    Scenario: An error of the route is remembered
      When the assistant calls kadu_workspaces_update on a record that does not exist, with a key
      Then the result is the error NOT_FOUND
      When the assistant calls it with the same key and other arguments
      Then the result is the error IDEMPOTENCY_KEY_REUSED
      And nothing ran

    Scenario Outline: A call of <tool> that was not permitted is not remembered
      Given the person lacks the permission <permission>
      When the assistant calls <tool> with a key, by what everybody knows of it
      Then the call is refused
      And nothing ran
      When the person has every permission again
      And the assistant repeats the call with the same key
      Then the call succeeds
      And it ran once

      Examples:
        | tool                   | permission              |
        | kadu_workspaces_create | agent.workspaces.create |
        | kadu_memories_create   | agent.memories.create   |

    Scenario: A call whose arguments were refused is not remembered
      When the assistant calls kadu_workspaces_create with a key and without an argument that it needs
      Then the call is refused
      And nothing ran
      When the assistant makes the call in full with the same key
      Then the call succeeds
      And it ran once

  @KADU-IDM-15
  Rule: Any further tool that changes something takes the key

    @read-only
    Scenario: No changing tool goes without the key
      When the assistant lists the tools
      Then every tool that neither reads nor deletes takes idempotency_key
