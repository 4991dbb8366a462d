Feature: Prompts

  A prompt is an instruction that a user picks, and that becomes the first message of a conversation.
  All of them only read: to run, cancel or change something is always asked for by the user. And nobody
  is offered a prompt that rests on a tool they may not run.

  Background:
    Given an assistant

  @KADU-PRM-01
  Rule: The prompts are exactly four, with their arguments

    Scenario: A caller who may do everything is listed four prompts
      When the assistant lists the prompts
      Then these and no other prompts are listed, with their arguments
        | prompt                   | required                | optional |
        | review_failed_executions |                         | since    |
        | explain_execution        | execution_id            |          |
        | monthly_usage_report     | month                   |          |
        | check_task_readiness     | task_id, environment_id |          |

  @KADU-PRM-02
  Rule: A prompt appears to those who may run all its tools

    Scenario: Without any scope every prompt is gone
      Given the token holds no scope
      When the assistant lists the prompts
      Then no prompt is listed
      And with every scope four prompts are listed

    Scenario Outline: Without the scope <scope> there is no <prompt>
      Given the token lacks the scope <scope>
      When the assistant lists the prompts
      Then the prompt <prompt> is not listed
      And with every scope the prompt <prompt> is listed

      Examples:
        | prompt                   | scope           |
        | review_failed_executions | kadu/executions |
        | explain_execution        | kadu/executions |
        | check_task_readiness     | kadu/tasks      |

    Scenario Outline: Without the permission <permission> there is no <prompt>
      Given the person lacks the permission <permission>
      When the assistant lists the prompts
      Then the prompt <prompt> is not listed
      And with every permission the prompt <prompt> is listed

      Examples:
        | prompt               | permission            |
        | explain_execution    | agent.executions.read |
        | check_task_readiness | agent.tasks.read      |

    @advisory
    Scenario Outline: A caller who is shown <prompt> may run every tool it names
      When the assistant gets <prompt>
      Then every reading tool that the text names may be run by the caller

      Examples:
        | prompt                   |
        | review_failed_executions |
        | explain_execution        |
        | monthly_usage_report     |
        | check_task_readiness     |

    @advisory
    Scenario Outline: Who may not run <tool> is not told to by <prompt>
      Given the person lacks the permission <permission>
      When the assistant lists the prompts
      Then the prompt <prompt> is not listed, or its text does not name <tool>

      Examples:
        | prompt            | tool                        | permission                  |
        | explain_execution | kadu_executions_events_list | agent.execution_events.read |
        | explain_execution | kadu_executions_todos_list  | agent.execution_todos.read  |

  @KADU-PRM-03
  Rule: A prompt that is hidden or unknown is invalid

    Scenario: A hidden prompt is refused
      Given the token lacks the scope kadu/executions
      When the assistant gets explain_execution
      Then the request is refused as invalid
      And with every scope the prompt explain_execution is answered

    Scenario Outline: A prompt that is hidden for want of <permission> is refused
      Given the person lacks the permission <permission>
      When the assistant gets explain_execution
      Then the request is refused as invalid
      And with every permission the prompt explain_execution is listed

      Examples:
        | permission            |
        | agent.executions.read |

    Scenario: An unknown prompt is refused
      When the assistant gets no_such_prompt_here
      Then the request is refused as invalid
      And with every scope the prompt explain_execution is answered

  @KADU-PRM-04
  Rule: Getting a prompt leaves no effect

    Scenario Outline: Getting <prompt> changes nothing
      When the assistant gets <prompt>
      Then the prompt is answered
      And nothing ran
      When the assistant reads me
      Then the upstream was asked

      Examples:
        | prompt                   |
        | review_failed_executions |
        | explain_execution        |
        | monthly_usage_report     |
        | check_task_readiness     |

  @KADU-PRM-05
  Rule: The dates come computed

    Scenario Outline: Without a date the text counts seven days back from <now>
      Given it is <now>
      When the assistant gets review_failed_executions
      Then the text holds the date <since>

      Examples:
        | now                  | since      |
        | 2026-10-31T15:00:00Z | 2026-10-24 |
        | 2028-03-05T15:00:00Z | 2028-02-27 |
        | 2027-01-03T15:00:00Z | 2026-12-27 |

    Scenario: Without a date the text counts seven days back from today
      When the assistant gets review_failed_executions
      Then the text holds the date of seven days ago

    Scenario: With a date the text holds that date
      When the assistant gets review_failed_executions with the since 2026-10-09
      Then the text holds the date 2026-10-09

    Scenario: With the leap day the text holds that day
      When the assistant gets review_failed_executions with the since 2028-02-29
      Then the text holds the date 2028-02-29

    Scenario: The usage report carries its month
      When the assistant gets monthly_usage_report with the month 2026-09
      Then the text holds the month 2026-09

    @advisory
    Scenario Outline: The usage report of <month> carries its first and last day
      When the assistant gets monthly_usage_report with the month <month>
      Then the text holds the date <first>
      And the text holds the date <last>

      Examples:
        | month   | first      | last       |
        | 2026-09 | 2026-09-01 | 2026-09-30 |
        | 2028-02 | 2028-02-01 | 2028-02-29 |

  @KADU-PRM-06
  Rule: A required argument that is missing is invalid

    Scenario Outline: The prompt <prompt> without <argument> is refused
      When the assistant gets <prompt> without <argument>
      Then the request is refused as invalid
      And with every argument the prompt <prompt> is answered

      Examples:
        | prompt               | argument       |
        | explain_execution    | execution_id   |
        | monthly_usage_report | month          |
        | check_task_readiness | task_id        |
        | check_task_readiness | environment_id |

  @KADU-PRM-07
  Rule: A date out of its format is invalid

    Scenario Outline: The since <since> is refused
      When the assistant gets review_failed_executions with the since <since>
      Then the request is refused as invalid
      And with every argument the prompt review_failed_executions is answered

      Examples:
        | since                |
        | 2026-10-1            |
        | 01/10/2026           |
        | 20261001             |
        | ontem                |
        | 2026-10              |
        | 2026-13-01           |
        | 2026-02-30           |
        | 2026-02-29           |
        | 2026-10-01T12:00:00Z |
        | 2026-W41-1           |
        | 2026-282             |

    Scenario Outline: The since 2026-10-09 with <addition> is refused
      When the assistant gets review_failed_executions with the since 2026-10-09 and <addition>
      Then the request is refused as invalid
      And with every argument the prompt review_failed_executions is answered

      Examples:
        | addition            |
        | a line break behind |
        | a space before      |
        | a space behind      |

    Scenario Outline: The month <month> is refused
      When the assistant gets monthly_usage_report with the month <month>
      Then the request is refused as invalid
      And with every argument the prompt monthly_usage_report is answered

      Examples:
        | month      |
        | 2026-13    |
        | 2026-00    |
        | 2026-1     |
        | 202610     |
        | 10-2026    |
        | 2026-10-01 |
        | outubro    |

    Scenario Outline: The month 2026-09 with <addition> is refused
      When the assistant gets monthly_usage_report with the month 2026-09 and <addition>
      Then the request is refused as invalid
      And with every argument the prompt monthly_usage_report is answered

      Examples:
        | addition            |
        | a line break behind |
        | a space before      |
        | a space behind      |

  @KADU-PRM-08
  Rule: A prompt begins with a message of the user

    Scenario Outline: The first message of <prompt> is text of the user
      When the assistant gets <prompt>
      Then the first message is text of the user
      And the text holds every id it was given

      Examples:
        | prompt                   |
        | review_failed_executions |
        | explain_execution        |
        | monthly_usage_report     |
        | check_task_readiness     |

  @KADU-PRM-09
  Rule: A prompt asks for what it is there for

    @advisory
    Scenario Outline: The text of <prompt> speaks of <subject>
      When the assistant gets <prompt>
      Then the text speaks of <subject>

      Examples:
        | prompt                   | subject  |
        | review_failed_executions | failures |
        | explain_execution        | steps    |
        | monthly_usage_report     | cost     |
        | check_task_readiness     | secrets  |
