@era-2026
Feature: Confirmation in the chat

  A destructive tool moves money or data that nobody brings back. A client that can show a form
  therefore asks a human first: the server puts the question, the person answers, and the very
  same call comes back with that answer. The yes is worth one call, of one person, for five minutes.

  Background:
    Given an assistant that shows forms

  @KADU-CNF-01
  Rule: A destructive call asks before it runs

    Scenario Outline: The first call of <tool> asks
      When the assistant calls <tool>
      Then the server asks for a yes
      And nothing ran
      And a fresh yes makes it run once

      Examples:
        | tool                        |
        | kadu_tasks_run              |
        | kadu_executions_cancel      |
        | kadu_executions_continue    |
        | kadu_webhooks_create        |
        | kadu_webhooks_rotate_secret |

    Scenario: A question is nothing to be cached
      When the assistant calls kadu_tasks_run
      Then the server asks for a yes
      And the answer carries no caching hints

  @KADU-CNF-02
  Rule: There is one question, about this action with these arguments

    Scenario Outline: The question about <tool> shows every argument
      When the assistant calls <tool>
      Then the question shows every argument

      Examples:
        | tool                     |
        | kadu_tasks_run           |
        | kadu_executions_continue |
        | kadu_webhooks_create     |
        | kadu_environments_delete |

    Scenario Outline: The question about <tool> shows the arguments it could do without
      When the assistant calls <tool> with every argument
      Then the question shows every argument

      Examples:
        | tool                     |
        | kadu_tasks_run           |
        | kadu_executions_continue |
        | kadu_webhooks_create     |

    Scenario: The question shows an idempotency key
      When the assistant calls kadu_tasks_run
      And its yes is sent with the arguments given an idempotency key
      Then the server asks for a yes
      And the question shows every argument

    Scenario: The question shows a long argument to its end
      When the assistant calls kadu_executions_continue with 40 words of instructions
      Then the question shows every argument

    Scenario: The question shows an address with its query
      When the assistant calls kadu_webhooks_create with "https://erp.exemplo.com.br/kadu?destino=outra-empresa" for its url
      Then the question shows every argument

    Scenario Outline: A call with <change> is asked about in other words
      When the assistant calls kadu_webhooks_create
      And the assistant calls the same with <change>
      Then the two questions differ

      Examples:
        | change         |
        | another list   |
        | another flag   |

    Scenario: Two tools with equal arguments are asked about differently
      Given one of the executions that is waiting
      When the assistant calls kadu_executions_cancel on it
      And the assistant calls kadu_executions_continue on it
      Then the two questions differ

    Scenario: Two deletions with equal arguments are asked about differently
      Given the server offers kadu_tasks_endpoint_delete
      When the assistant calls kadu_tasks_delete
      And the assistant calls kadu_tasks_endpoint_delete
      Then the two questions differ

  @KADU-CNF-03
  Rule: The same call with an explicit yes runs, once

    Scenario Outline: A yes makes <tool> run
      When the assistant calls <tool>
      And the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | tool                        |
        | kadu_tasks_run              |
        | kadu_executions_cancel      |
        | kadu_executions_continue    |
        | kadu_webhooks_create        |
        | kadu_webhooks_rotate_secret |

    Scenario: A yes runs every argument that was asked about
      When the assistant calls kadu_tasks_run with every argument
      And the person says yes
      Then the call succeeds
      And it ran once

    Scenario Outline: A yes to <tool> runs once where the upstream's answer is lost
      Given the upstream loses its next answer to <tool>
      When the assistant calls <tool>
      And the person says yes
      Then it ran no more than once

      Examples:
        | tool                           |
        | kadu_tasks_run                 |
        | kadu_executions_continue       |
        | kadu_webhook_deliveries_replay |

    Scenario Outline: A text with <peculiarity> runs as it was asked about
      When the assistant calls kadu_webhooks_create with <peculiarity> in its description
      Then the server asks for a yes
      When the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | peculiarity                    |
        | a space at either end          |
        | a ligature and a raised figure |
        | an emoji                       |

  @KADU-CNF-04
  Rule: Declining or cancelling changes nothing

    Scenario Outline: A person who chooses to <choice> is obeyed
      When the assistant calls kadu_tasks_run
      And the person chooses to <choice>
      Then the result is the error USER_DECLINED
      And nothing ran
      When the assistant calls the same again
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | choice  |
        | decline |
        | cancel  |

    Scenario Outline: A yes filled in before choosing to <choice> does not count
      When the assistant calls kadu_tasks_run
      And the person fills in yes and chooses to <choice>
      Then the result is the error USER_DECLINED
      And nothing ran
      And a fresh yes makes it run once

      Examples:
        | choice  |
        | decline |
        | cancel  |

  @KADU-CNF-05
  Rule: Only an explicit yes runs

    Scenario Outline: An answer with <answer> is no yes
      When the assistant calls kadu_tasks_run
      And the person's answer is <answer>
      Then the yes was not taken
      And nothing ran
      And a fresh yes makes it run once

      Examples:
        | answer                   |
        | no                       |
        | no content               |
        | an empty content         |
        | a yes of the wrong type  |
        | a one for a yes          |
        | a yes under another name |
        | a yes under another key  |
        | an unknown action        |
        | no action                |
        | an empty map             |
        | no map                   |

    Scenario Outline: The argument <argument> of the call itself is no yes
      When the assistant calls kadu_tasks_run with <argument> set to true
      Then nothing ran
      And a fresh yes makes it run once

      Examples:
        | argument  |
        | confirm   |
        | confirmed |
        | approved  |

  @KADU-CNF-06
  Rule: A yes is bound to the tool

    Scenario: The yes to one tool does not run another
      Given one of the executions that is waiting
      When the assistant calls kadu_executions_cancel on it
      And its yes is sent with a call of kadu_executions_continue
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

    Scenario: The new question is about the tool that was called
      Given one of the executions that is waiting
      When the assistant calls kadu_executions_cancel on it
      And its yes is sent with a call of kadu_executions_continue
      Then the server asks for a yes
      And the two questions differ

  @KADU-CNF-07
  Rule: A yes is bound to the arguments

    Scenario Outline: A yes is not worth a call whose arguments were <change>
      When the assistant calls kadu_tasks_run
      And its yes is sent with the arguments <change>
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | change                      |
        | changed                     |
        | added to                    |
        | given an idempotency key    |

    Scenario Outline: A yes to every argument is not worth a call whose arguments were <change>
      When the assistant calls kadu_tasks_run with every argument
      And its yes is sent with the arguments <change>
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | change                             |
        | taken from                         |
        | changed in one it could do without |
        | changed inside of one              |

    Scenario Outline: A yes to a webhook is not worth a call with <change>
      When the assistant calls kadu_webhooks_create
      And its yes is sent with the arguments changed to <change>
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | change       |
        | another list |
        | another flag |

    Scenario Outline: A yes to many words is not worth a call with <change>
      When the assistant calls kadu_executions_continue with 40 words of instructions
      And its yes is sent with the arguments changed to <change>
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | change                        |
        | another case of the last word |
        | a wider gap between two words |
        | a space at the end            |

    Scenario: The new question is about the arguments that were sent
      When the assistant calls kadu_tasks_run
      And its yes is sent with the arguments changed
      Then the server asks for a yes
      And the question shows every argument

    Scenario: The order of the arguments does not count
      When the assistant calls kadu_tasks_run
      And its yes is sent with the arguments in another order
      Then the call succeeds
      And it ran once

  @KADU-CNF-08
  Rule: A yes is bound to the person

    Scenario: The yes of one person does not run the call of a colleague
      When the assistant calls kadu_tasks_run
      And its yes is sent by the colleague's assistant
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

  @KADU-CNF-09
  Rule: A yes is bound to the organization

    Scenario: A yes given in one organization runs nothing in another
      When the assistant calls kadu_webhooks_create
      And its yes is sent by the assistant in the other organization
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

  @KADU-CNF-10
  Rule: A yes is worth five minutes

    Scenario: A yes inside five minutes runs
      When the assistant calls kadu_tasks_run
      And 4 minutes and 59 seconds pass
      And the person says yes
      Then the call succeeds
      And it ran once

    Scenario: A yes past five minutes asks again
      When the assistant calls kadu_tasks_run
      And 5 minutes and 1 second pass
      And the person says yes too late
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

    Scenario: A yes a day and a minute later asks again
      When the assistant calls kadu_tasks_run
      And 1 day and 1 minute pass
      And the person says yes too late
      Then the server asks for a yes
      And nothing ran

  @KADU-CNF-11
  Rule: Whatever does not match is asked again

    Scenario Outline: A yes with <state> is asked again
      When the assistant calls kadu_tasks_run
      And its yes comes with <state>
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | state                   |
        | no state                |
        | an empty state          |
        | a truncated state       |
        | a random state          |
        | another server's state  |
        | a doubled state         |

    Scenario: A yes with an oversized state runs nothing
      When the assistant calls kadu_tasks_run
      And its yes comes with an oversized state
      Then the yes was not taken
      And nothing ran
      And a fresh yes makes it run once

    Scenario: A yes with any changed byte of the state is asked again
      When the assistant calls kadu_tasks_run
      Then a changed byte anywhere in the state is asked again
      And nothing ran
      And a fresh yes makes it run once

  @KADU-CNF-12
  Rule: A yes is used once

    Scenario Outline: A confirmed call of <tool> sent again is refused
      When the assistant calls <tool>
      And the person says yes
      And the call succeeds
      And it ran once
      And the confirmed call is sent again
      Then the result is the error confirmation_replayed
      And nothing ran

      Examples:
        | tool                           |
        | kadu_tasks_run                 |
        | kadu_executions_continue       |
        | kadu_executions_cancel         |
        | kadu_webhook_deliveries_replay |
        | kadu_webhooks_rotate_secret    |
        | kadu_tasks_endpoint_update     |
        | kadu_webhooks_create           |

    Scenario: A confirmed change of an address sent again is refused
      When the assistant calls kadu_webhooks_update with "https://novo.exemplo.com.br/avisos" for its url
      And the person says yes
      And the call succeeds
      And it ran once
      And the confirmed call is sent again
      Then the result is the error confirmation_replayed
      And nothing ran

    Scenario: A confirmed call that is written otherwise runs nothing more
      When the assistant calls kadu_tasks_run
      And the person says yes
      And it ran once
      Then no other way to send the confirmed call is taken
      And nothing ran

    Scenario: A confirmed call is refused after four minutes too
      When the assistant calls kadu_tasks_run
      And the person says yes
      And it ran once
      And 4 minutes pass
      And the confirmed call is sent again
      Then the result is the error confirmation_replayed
      And nothing ran

    Scenario: A yes that is used and too old runs nothing
      When the assistant calls kadu_tasks_run
      And the person says yes
      And it ran once
      And 6 minutes pass
      And the confirmed call is sent again
      Then the yes was not taken
      And nothing ran

  @KADU-CNF-13
  Rule: Confirmed calls that arrive together run once

    Scenario: Twenty equal confirmed calls at once run once
      When the assistant calls kadu_tasks_run
      And the yes arrives 20 times at once
      Then it ran once

  @KADU-CNF-14
  Rule: Repeating the action takes a new yes

    Scenario: Calling again asks anew and runs again
      When the assistant calls kadu_tasks_run
      And the person says yes
      And it ran once
      And the assistant calls the same again
      Then the server asks for a yes
      And nothing ran
      When the person says yes
      Then the call succeeds
      And it ran once

  @KADU-CNF-15
  Rule: What was lost between question and yes is lost

    Scenario Outline: A yes after the <loss> was lost fails
      When the assistant calls kadu_tasks_run
      And the caller loses the <loss>
      And the person says yes
      Then the call is refused
      And nothing ran

      Examples:
        | loss       |
        | permission |
        | membership |
        | token      |

    Scenario: The same yes without a loss runs
      When the assistant calls kadu_tasks_run
      And the person says yes
      Then it ran once

  @KADU-CNF-16
  Rule: Forms are what elicitation says they are

    Scenario Outline: A client that declares <declaration> is asked
      Given an assistant that declares <declaration>
      When the assistant calls kadu_tasks_run
      Then the server asks for a yes
      And nothing ran
      And a fresh yes makes it run once

      Examples:
        | declaration           |
        | bare elicitation      |
        | forms                 |
        | forms and links       |

    Scenario: A client that declares links alone is not asked in the chat
      Given an assistant that declares links alone
      When the assistant calls kadu_tasks_run
      Then the server does not ask in the chat
      And the call waits for an approval
      And nothing ran

    Scenario: What a client declared before does not count
      When the assistant calls kadu_tasks_run
      Then the server asks for a yes
      When the same call comes from a client without forms
      Then the server does not ask in the chat
      And nothing ran
      When the same call comes from a client that shows forms
      Then the server asks for a yes
      And nothing ran

    Scenario: A client that declares nothing is not asked in the chat
      Given an assistant without forms
      When the assistant calls kadu_tasks_run
      Then the server does not ask in the chat
      And nothing ran

  @KADU-CNF-17
  Rule: What was not asked for is ignored

    Scenario: Further keys in the answer map do no harm
      When the assistant calls kadu_tasks_run
      And the yes comes with further answers that nobody asked for
      Then the call succeeds
      And it ran once

    @advisory
    Scenario: A stray state on an ordinary tool is ignored
      When the assistant calls kadu_workspaces_get with a stray state
      Then the call succeeds
