Feature: Messages and their errors

  Whatever a client sends, it learns from the answer what was wrong: a code it knows, under the id
  it sent, in a message of the revision it speaks. And nobody gets in without a token.

  @MCP-10
  Rule: An unknown method is not found

    Scenario: A method that nobody defined is refused
      Given an assistant
      When the assistant asks for nothing/of_the_kind
      Then the method is refused as not found

    Scenario: A method that nobody defined for tools is refused
      Given an assistant
      When the assistant asks for tools/of_the_kind
      Then the method is refused as not found

  @MCP-11 @era-2026
  Rule: Retired and undefined codes are not used

    @read-only
    Scenario: What is not found is said with a code of this revision
      Given an assistant
      When the assistant reads the address kobana://nowhere/at_all
      Then the error has a code of this revision
      And the next read is answered

    Scenario: An unknown tool is refused with a code of this revision
      Given an assistant
      When the assistant calls the unknown tool no_such_tool_here
      Then the error has a code of this revision
      And the next read is answered

    Scenario: An unknown prompt is refused with a code of this revision
      Given an assistant
      When the assistant gets no_such_prompt_here
      Then the error has a code of this revision
      And the next read is answered

    Scenario: Whatever is refused is refused with a code of this revision
      Given an assistant
      When the assistant calls an ordinary write with nothing it needs
      And the assistant asks for tools/list with a made-up cursor
      And the assistant asks for nothing/of_the_kind
      Then every error so far has a code of this revision

  @MCP-12
  Rule: An origin that is not allowed is forbidden

    @read-only
    Scenario: A request from a foreign page is forbidden
      Given an assistant
      When the assistant asks for tools/list from a foreign page
      Then the answer is HTTP 403

    @read-only
    Scenario: The opening from a foreign page is forbidden
      Given an assistant
      When the assistant asks from a foreign page what the server offers
      Then the answer is HTTP 403

    Scenario: A call from a foreign page is forbidden
      Given an assistant
      When the assistant calls a tool from a foreign page
      Then the answer is HTTP 403

    Scenario Outline: A request from a page of <origin> is forbidden
      Given an assistant
      When the assistant asks for tools/list from a page of <origin>
      Then the answer is HTTP 403

      Examples:
        | origin                          |
        | "http://localhost.evil.example" |
        | "http://127.0.0.1.evil.example" |
        | "http://evil-localhost"         |
        | "https://evil.example:4100"     |
        | "null"                          |

    @read-only
    Scenario: A request without an origin is answered
      Given an assistant
      When the assistant asks for tools/list
      Then the request is answered

  @MCP-13
  Rule: Without a good token nothing is served

    Scenario Outline: A request with <token> is unauthorized
      Given an assistant
      When somebody asks for tools/list with <token>
      Then the answer is HTTP 401 and says how to authenticate

      Examples:
        | token          |
        | no token       |
        | a made-up token |
        | an ended token |
        | a token that was used before it ended |

    Scenario: Nothing that can be asked for is answered without a token
      Given an assistant
      When somebody asks for everything without a token
      Then each answer is HTTP 401 and says how to authenticate

    @era-2025
    Scenario: A token that ended after the handshake is unauthorized
      Given an assistant
      When somebody whose token ended after the handshake asks for tools/list and notifies
      Then each answer is HTTP 401 and says how to authenticate

  @MCP-14
  Rule: Each tool says in JSON Schema what it takes

    @read-only
    Scenario: Every inputSchema is valid in its dialect and of the type object
      Given an assistant
      When the assistant asks for tools/list
      Then every inputSchema is valid and of the type object

  @MCP-15
  Rule: The tools keep their order

    @advisory
    @read-only
    Scenario: The tools come in the same order twice
      Given an assistant
      When the assistant lists the tools twice
      Then both listings have the same order

  @MCP-16
  Rule: What is no request is refused, and a notification is taken

    Scenario: What is not JSON is a parse error
      Given an assistant
      When the assistant sends what is not JSON
      Then the request is refused as unreadable

    Scenario Outline: A batch of <requests> is refused
      Given an assistant
      When the assistant sends a batch of <requests>
      Then the batch is refused

      Examples:
        | requests            |
        | two requests        |
        | one request         |
        | no request          |
        | notifications alone |

    @era-2025
    @read-only
    Scenario: A notification is accepted without an answer
      Given an assistant
      When the assistant notifies that it is ready
      Then the answer is HTTP 202
      And no message answers it

  @MCP-17
  Rule: An answer carries the id of its request

    @read-only
    Scenario Outline: The id <id> comes back as it was sent
      Given an assistant
      When the assistant asks for tools/list under the id <id>
      Then the answer carries that very id

      Examples:
        | id               |
        | "a-text"         |
        | "7"              |
        | 0                |
        | -1               |
        | 9007199254740991 |

    Scenario Outline: A refusal carries the id <id> of its request
      Given an assistant
      When the assistant asks for nothing/of_the_kind under the id <id>
      Then the answer carries that very id

      Examples:
        | id       |
        | "a-text" |
        | 0        |

  @MCP-18
  Rule: Each message is valid for its revision

    @read-only
    Scenario Outline: The answer to <method> is valid for its revision
      Given an assistant
      When the assistant asks for <method>
      Then the request is answered
      And every message so far is valid for its revision

      Examples:
        | method                   |
        | tools/list               |
        | resources/list           |
        | resources/templates/list |
        | prompts/list             |

    Scenario: The answer to a call is valid for its revision
      Given an assistant
      When the assistant calls a tool that only reads
      Then the call succeeds
      And every message so far is valid for its revision

    @read-only
    Scenario: What a read answers is valid for its revision
      Given an assistant
      When the assistant reads me
      And that read can be judged
      Then every message so far is valid for its revision

    Scenario: What a prompt answers is valid for its revision
      Given an assistant
      When the assistant gets review_failed_executions
      Then the prompt is answered
      And every message so far is valid for its revision

    Scenario: What a completion answers is valid for its revision
      Given an assistant
      When the assistant completes the argument month of monthly_usage_report
      Then the request is answered
      And every message so far is valid for its revision

    @read-only
    Scenario: What a refusal answers is valid for its revision
      Given an assistant
      When the assistant reads the address kobana://nowhere/at_all
      Then the request is answered by an error
      And every message so far is valid for its revision

  @MCP-19
  Rule: An unknown tool and bad arguments are refused

    Scenario: An unknown tool is refused
      Given an assistant
      When the assistant calls the unknown tool no_such_tool_here
      Then the unknown tool is refused

    Scenario Outline: An ordinary write with <arguments> is refused and runs nothing
      Given an assistant
      When the assistant calls an ordinary write with <arguments>
      Then the call is refused
      And nothing ran

      Examples:
        | arguments                  |
        | nothing it needs           |
        | a number for a text        |
        | a list for a text          |
        | null for a text            |

  @MCP-20
  Rule: Every item comes once, whatever the pages

    @read-only
    Scenario Outline: The pages of <method> hold every item once
      Given an assistant
      When the assistant goes through every page of <method>
      Then no item came twice

      Examples:
        | method                   |
        | tools/list               |
        | resources/list           |
        | resources/templates/list |
        | prompts/list             |

    @advisory
    @read-only
    Scenario Outline: A cursor of <method> that nobody gave out is invalid
      Given an assistant
      When the assistant asks for <method> with a made-up cursor
      Then the request is refused as invalid

      Examples:
        | method         |
        | tools/list     |
        | resources/list |
        | prompts/list   |
