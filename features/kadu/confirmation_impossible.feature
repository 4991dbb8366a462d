Feature: When confirmation is not possible

  Where nobody could say yes, or the yes could not be put on record, nothing destructive runs, and
  everything else goes on as ever.

  @KADU-UNA-01
  Rule: Without a person behind the token nothing destructive runs

    Scenario Outline: A token without a person is told that <tool> requires a confirmation
      Given an assistant without forms
      And a token without a person
      When the assistant calls <tool>
      Then the result is the error confirmation_required
      And nothing ran
      And no approval was stored
      And for the person the same call runs once, confirmed

      Examples:
        | tool                     |
        | kadu_tasks_run           |
        | kadu_webhooks_create     |
        | kadu_environments_delete |

    Scenario: A token without a person is told that a new address requires a confirmation
      Given an assistant without forms
      And a token without a person
      When the assistant calls kadu_webhooks_update with "https://novo.exemplo.com.br/avisos" for its url
      Then the result is the error confirmation_required
      And nothing ran
      And no approval was stored
      And for the person the same call runs once, confirmed

    @era-2026
    Scenario: A token without a person runs nothing unasked where forms are shown
      Given an assistant that shows forms
      And a token without a person
      When the assistant calls kadu_tasks_run
      Then nothing ran
      And for the person the same call runs once, confirmed

  @KADU-UNA-02
  Rule: An approval that cannot be stored refuses the call

    Scenario: Without the register of approvals the call is refused, and later works
      Given an assistant without forms
      And the upstream cannot store approvals
      When the assistant calls kadu_tasks_run
      Then the result is the error confirmation_unavailable
      And nothing ran
      When the upstream is well again
      Then confirmed the call runs once

    Scenario: After the outage a new call waits for an approval
      Given an assistant without forms
      And the upstream cannot store approvals
      When the assistant calls kadu_tasks_run
      Then the result is the error confirmation_unavailable
      When the upstream is well again
      And the assistant calls the same again
      Then the call waits for an approval
      And nothing ran
      And confirmed the call runs once

    Scenario: An approval whose storing is not answered refuses the call
      Given an assistant without forms
      And the upstream loses its answers to storing approvals
      When the assistant calls kadu_tasks_run
      Then the result is the error confirmation_unavailable
      And nothing ran
      When the upstream is well again
      Then confirmed the call runs once

  @KADU-UNA-03 @era-2026
  Rule: A yes that cannot be put on record runs nothing

    Scenario: Without the register of confirmations a yes runs nothing, and later works
      Given an assistant that shows forms
      When the assistant calls kadu_tasks_run
      Then the server asks for a yes
      When the upstream cannot register confirmations
      And the person says yes
      Then the result is the error confirmation_unavailable
      And nothing ran
      When the upstream is well again
      Then confirmed the call runs once

    Scenario: A yes whose registering is not answered runs nothing
      Given an assistant that shows forms
      When the assistant calls kadu_tasks_run
      Then the server asks for a yes
      When the upstream loses its answers to registering confirmations
      And the person says yes
      Then the yes ran nothing
      When the upstream is well again
      Then confirmed the call runs once

    Scenario: Without the register a call asks or is refused
      Given an assistant that shows forms
      And the upstream cannot register confirmations
      When the assistant calls kadu_tasks_run
      Then the server asks for a yes, or the error is confirmation_unavailable
      And nothing ran
      When the upstream is well again
      Then confirmed the call runs once

    Scenario: After the outage a new call and its yes run
      Given an assistant that shows forms
      When the assistant calls kadu_tasks_run
      Then the server asks for a yes
      When the upstream cannot register confirmations
      And the person says yes
      Then the result is the error confirmation_unavailable
      When the upstream is well again
      And the assistant calls the same again
      Then the server asks for a yes
      When the person says yes
      Then the call succeeds
      And it ran once

  @KADU-UNA-04
  Rule: Meanwhile reads and ordinary writes work

    Scenario: Without the registers everything else works
      Given an assistant that shows forms
      And the upstream cannot store approvals
      And the upstream cannot register confirmations
      When the assistant calls kadu_workspaces_create
      Then the call succeeds
      And it ran once
      When the assistant calls kadu_webhooks_update with "Avisos do financeiro" for its description
      Then the call succeeds
      And it ran once
      When the assistant reads me
      Then the read is answered

    Scenario: To a token without a person everything else works
      Given an assistant without forms
      And a token without a person
      When the assistant calls kadu_workspaces_create
      Then the call succeeds
      And it ran once
      When the assistant calls kadu_webhooks_update with "Avisos do financeiro" for its description
      Then the call succeeds
      And it ran once
      When the assistant reads me
      Then the read is answered
