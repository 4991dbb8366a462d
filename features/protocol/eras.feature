Feature: Two eras of the protocol on one address

  Clients of both eras live side by side for years. The one shakes hands first, the other says all
  it needs in every request. A server serves each by its own rules, and neither remembers the other.

  @MCP-01 @era-2025
  Rule: The handshake answers with a revision that the server supports

    @read-only
    Scenario Outline: Asking for <version> is answered with a known revision
      Given an assistant
      When the assistant shakes hands asking for <version>
      Then the handshake is answered with a released revision of its era
      And the tools are listed in that revision

      Examples:
        | version    |
        | 2025-06-18 |
        | 2025-11-25 |
        | 2099-01-01 |

    @read-only
    Scenario: The handshake agrees on no revision that has none
      Given an assistant
      When the assistant shakes hands asking for 2026-07-28
      Then the handshake is refused, or answered with a released revision of its era

    @read-only
    Scenario: The revision that was asked for comes back where it is supported
      Given an assistant
      When the assistant shakes hands asking for 2025-11-25
      Then the handshake is answered with a released revision of its era
      And the tools are listed in that revision

  @MCP-02 @era-2026
  Rule: Each request is served on its own

    @read-only
    Scenario: A first request needs nothing before it
      Given an assistant
      When the assistant asks for tools/list
      Then the request is answered

    @read-only
    Scenario: A rejected request changes nothing for the next
      Given an assistant
      When the assistant asks for tools/list in the version 1999-01-01
      And the request is rejected
      And the assistant asks for tools/list
      Then the request is answered
      And an assistant of the other era is served too

    Scenario: Whatever a request is rejected for, the next is served
      Given an assistant
      When the assistant sends what is not JSON
      And the request is rejected
      And the assistant asks for tools/list
      And the request is answered
      And the assistant calls a tool with another name
      And the request is rejected
      And the assistant asks for tools/list
      Then the request is answered

  @MCP-03 @era-2026
  Rule: Discovery tells versions and capabilities

    @read-only
    Scenario: Discovery names the stateless revision and what the server can do
      Given an assistant
      When the assistant asks for server/discover
      Then the discovery names the revision and the capabilities

  @MCP-04 @era-2026
  Rule: An unknown version is refused with the versions that are known

    @read-only
    Scenario Outline: A request for <method> in the version <version> is refused
      Given an assistant
      When the assistant asks for <method> in the version <version>
      Then the refusal names the supported versions and <version>

      Examples:
        | method          | version    |
        | tools/list      | 1999-01-01 |
        | tools/list      | 2099-01-01 |
        | server/discover | 2099-01-01 |

    Scenario: A call in a version that nobody knows is refused
      Given an assistant
      When the assistant calls a tool in the version 2099-01-01
      Then the refusal names the supported versions and 2099-01-01

  @MCP-05 @era-2026
  Rule: Each request says who asks and in which version

    @read-only
    Scenario Outline: A request without its <key> is refused
      Given an assistant
      When the assistant asks for tools/list without the meta key <key>
      Then the request is refused as invalid with HTTP 400

      Examples:
        | key                |
        | protocolVersion    |
        | clientCapabilities |

    @read-only
    Scenario: A request without any meta is refused
      Given an assistant
      When the assistant asks for tools/list without any meta
      Then the request is refused as invalid with HTTP 400

    @read-only
    Scenario: What one request said is not taken for the next
      Given an assistant
      When the assistant asks for tools/list
      And the request is answered
      And the assistant asks for tools/list without the meta key clientCapabilities
      Then the request is refused as invalid with HTTP 400

    Scenario: A call without the capabilities of its client is refused
      Given an assistant
      When the assistant calls a tool without the meta key clientCapabilities
      Then the request is refused as invalid with HTTP 400

    @read-only
    Scenario: A request with every key is answered
      Given an assistant
      When the assistant asks for tools/list
      Then the request is answered

    @read-only
    Scenario: A request that does not name its client is answered
      Given an assistant
      When the assistant asks for tools/list without the meta key clientInfo
      Then the request is answered

  @MCP-06 @era-2026
  Rule: The headers say the same as the body

    Scenario Outline: A call whose headers have <header> is refused
      Given an assistant
      When the assistant calls a tool with <header>
      Then the request is refused for its headers with HTTP 400

      Examples:
        | header                       |
        | no method                    |
        | another method               |
        | no name                      |
        | another name                 |
        | another version              |
        | another name, encoded        |
        | its method in capitals       |
        | its name in capitals         |
        | a name that is no base64     |

    Scenario Outline: A listing whose headers have <header> is refused
      Given an assistant
      When the assistant sends a listing of tools/list with <header>
      Then the request is refused for its headers with HTTP 400

      Examples:
        | header          |
        | no method       |
        | another version |

    Scenario Outline: A read whose headers have <header> is refused
      Given an assistant
      When the assistant sends a read of me with <header>
      Then the request is refused for its headers with HTTP 400

      Examples:
        | header       |
        | no name      |
        | another name |

    Scenario Outline: A prompt whose headers have <header> is refused
      Given an assistant
      When the assistant asks for the prompt review_failed_executions with <header>
      Then the request is refused for its headers with HTTP 400

      Examples:
        | header       |
        | no name      |
        | another name |

    @read-only
    Scenario: A listing without a version is served by those alone who know such clients
      Given an assistant
      When the assistant sends a listing of tools/list with no version
      Then the request is refused, or the server serves versions that have no such header

    Scenario: A name in base64 is decoded before it is compared
      Given an assistant
      When the assistant calls a tool with its name in base64
      Then the call succeeds

    Scenario: An address in base64 is decoded before it is compared
      Given an assistant
      When the assistant sends a read of me with its name in base64
      Then the request is answered, as it is with its name as it stands

  @MCP-07 @era-2026
  Rule: Each result says what kind it is

    @read-only
    Scenario Outline: The result of <method> is complete
      Given an assistant
      When the assistant asks for <method>
      Then the result is of the type complete

      Examples:
        | method                   |
        | server/discover          |
        | tools/list               |
        | resources/list           |
        | resources/templates/list |
        | prompts/list             |

    Scenario: The result of a call is complete
      Given an assistant
      When the assistant calls a tool that only reads
      Then the result is of the type complete

    @read-only
    Scenario: The result of a read is complete
      Given an assistant
      When the assistant reads me
      Then the result is of the type complete

    Scenario: A prompt is a complete result
      Given an assistant
      When the assistant gets review_failed_executions
      Then the result is of the type complete

    Scenario: A completion is a complete result
      Given an assistant
      When the assistant completes the argument month of monthly_usage_report
      Then the result is of the type complete

  @MCP-08 @era-2026
  Rule: What may be cached says for how long and for whom

    @read-only
    Scenario Outline: The result of <method> carries a time to live and a scope
      Given an assistant
      When the assistant asks for <method>
      Then the result says for how long and for whom it may be cached

      Examples:
        | method                   |
        | server/discover          |
        | tools/list               |
        | resources/list           |
        | resources/templates/list |
        | prompts/list             |

    @read-only
    Scenario: What a resource holds carries a time to live and a scope
      Given an assistant
      When the assistant reads me
      Then the result says for how long and for whom it may be cached

    Scenario Outline: What differs between two callers in <method> is private
      Given two assistants, one of whom may run nothing
      When both ask for <method>
      Then what differs between them is private

      Examples:
        | method                   |
        | tools/list               |
        | resources/list           |
        | resources/templates/list |
        | prompts/list             |

    Scenario: Who one is, is private
      Given two assistants, one of whom may run nothing
      When both read me
      Then what differs between them is private

    Scenario Outline: What only one of them may read, <resource>, is private
      Given two assistants, one of whom may run nothing
      When both ask to read <resource>
      Then what differs between them is private

      Examples:
        | resource            |
        | repository          |
        | operation_approvals |
        | tasks/{id}          |

  @MCP-09 @era-2026
  Rule: Only POST is served

    @advisory
    Scenario Outline: The HTTP method <verb> is not allowed
      Given an assistant
      When the assistant sends the HTTP method <verb>
      Then the answer is HTTP 405

      Examples:
        | verb   |
        | GET    |
        | DELETE |

  @MCP-21
  Rule: What is offered is declared

    @read-only
    Scenario: Tools, resources, prompts and completions are declared
      Given an assistant
      When the assistant asks what the server offers
      Then what the server offers is declared as
        | tools       |
        | resources   |
        | prompts     |
        | completions |
