import os
import signal

import pytest
from fake_world import TOKEN

from harness.expressions import given, step, then, when
from harness.verdicts import Finding, HarnessFault, NotApplicable, NotTestable, RuleBroken

TOKEN_IN_A_SENTENCE = f"the answer held {TOKEN}"


@step("nothing happens")
def nothing(world):
    pass


@when("it is {fake_colour}")
def colour(world, value):
    assert value in ("RED", "GREEN"), value


@given("{int} apples and {word}")
def apples(world, number, word):
    assert isinstance(number, int)


@step("the rule is broken")
def broken(world):
    raise RuleBroken(Finding("it ran", expected="nothing", actual=TOKEN_IN_A_SENTENCE, exchange=1))


@step("the rule {word} is broken")
def other_broken(world, rule):
    raise RuleBroken(Finding("another one", rule=rule))


@step("a finding")
def finding(world):
    world.findings.append(Finding("found"))


@step("an advisory finding")
def advisory(world):
    world.findings.append(Finding("found", advisory=True))


@step("a finding on {word}")
def finding_on(world, rule):
    world.findings.append(Finding("found elsewhere", rule=rule))


@step("it cannot be tested")
def untestable(world):
    raise NotTestable("no such tool")


@step("it is not about this server")
def not_about_it(world):
    raise NotApplicable("It has batches.")


@step("we are at fault")
def fault(world):
    raise HarnessFault("The mock died.")


@step("we have a bug")
def bug(world):
    raise KeyError(TOKEN)


@step("the step skips")
def skips(world):
    pytest.skip("not today")


@step("the step gives something back")
def gives(world):
    return True


@step("the world will not close")
def not_closing(world):
    world.fails_to_close = OSError("gone")


@step("an exchange")
def exchange(world):
    world.exchange(b'{"token": "' + TOKEN.encode() + b'"}')


@step("an exchange of {int} bytes")
def big_exchange(world, size):
    world.exchange(b"x" * (size - 10) + TOKEN.encode())


@step("the process is interrupted")
def interrupted(world):
    os.kill(os.getpid(), signal.SIGINT)


@step("the process dies")
def dies(world):
    os.kill(os.getpid(), signal.SIGKILL)


@then("the table is")
def table(world, datatable):
    assert datatable == [["a", "b"], ["1", "2"]]


@then("the text is")
def text(world, docstring):
    assert docstring == "hello"


@then("it is ambiguous {word}")
def ambiguous_one(world, value):
    pass


@then("it is ambiguous {fake_colour}")
def ambiguous_two(world, value):
    pass


@then("nobody uses this")
def unused(world):
    pass
