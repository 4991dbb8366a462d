"""Steps as Cucumber Expressions."""

import functools

import pytest

from harness.expressions import StepDefinitionError, StepRegistry


@pytest.fixture
def registry() -> StepRegistry:
    return StepRegistry()


def define(registry, text, function, type_="when"):
    return registry.decorator(text, type_)(function)


def two(world, one, other):
    pass


def test_values_come_by_position_and_transformed(registry):
    registry.define_parameter_type(name="colour", regexp="red|green", transform=str.upper)
    define(registry, "{colour} paints {int} walls", two)
    [match] = registry.matches("when", "red paints 3 walls")
    assert match.values() == ["RED", 3]


def test_a_step_fits_its_own_keyword_only(registry):
    define(registry, "it rains", lambda world: None, "given")
    assert len(registry.matches("given", "it rains")) == 1
    assert registry.matches("then", "it rains") == ()


def test_a_step_for_every_keyword_fits_each(registry):
    define(registry, "it rains", lambda world: None, None)
    assert all(len(registry.matches(keyword, "it rains")) == 1 for keyword in ("given", "when", "then"))


def test_a_text_is_matched_from_end_to_end(registry):
    define(registry, "it rains", lambda world: None)
    assert registry.matches("when", "it rains hard") == ()
    assert registry.matches("when", "and it rains") == ()


def test_a_step_defined_later_is_found_too(registry):
    assert registry.matches("when", "it rains") == ()
    define(registry, "it rains", lambda world: None)
    assert len(registry.matches("when", "it rains")) == 1


async def asynchronous(world):
    pass


async def asynchronous_generator(world):
    yield


def generator(world):
    yield


@functools.wraps(asynchronous)
def wrapped(world):
    return asynchronous(world)


@pytest.mark.parametrize("function", [asynchronous, asynchronous_generator, generator, wrapped])
def test_a_step_that_would_not_run_is_refused(registry, function):
    with pytest.raises(StepDefinitionError, match="would pass without running"):
        define(registry, "it rains", function)


@pytest.mark.parametrize("text", ["a (b)", "a.", "a*", "a | b", "a\\b", "a)"])
def test_texts_that_editors_take_for_patterns_are_refused(registry, text):
    with pytest.raises(StepDefinitionError, match="editors take for a pattern"):
        define(registry, text, lambda world: None)


@pytest.mark.parametrize("text", ["", " ", " it rains", "it rains "])
def test_empty_and_padded_texts_are_refused(registry, text):
    with pytest.raises(StepDefinitionError, match="not empty"):
        define(registry, text, lambda world: None)


@pytest.mark.parametrize(
    ("text", "function", "message"),
    [
        ("it rains", lambda: None, "takes `world`"),
        ("it rains", lambda rain: None, "takes `world`"),
        ("it rains", lambda world, hard: None, "has 0 parameter"),
        ("it rains {int}", lambda world: None, "has 1 parameter"),
        ("it rains {int}", lambda world, hard=1: None, "without defaults"),
        ("it rains {int}", lambda world, *hard: None, "without defaults"),
        ("it rains {int}", lambda world, **hard: None, "without defaults"),
        ("it rains {int}", lambda world, *, hard: None, "without defaults"),
        ("it rains {int}", lambda world, docstring, hard: None, "then perhaps"),
        ("it rains {nothing}", lambda world, hard: None, "is no Cucumber Expression"),
    ],
)
def test_text_and_function_must_fit(registry, text, function, message):
    with pytest.raises(StepDefinitionError, match=message):
        define(registry, text, function)


def test_a_refusal_names_file_and_line(registry):
    line = asynchronous.__code__.co_firstlineno
    with pytest.raises(StepDefinitionError, match=f"^{__file__}:{line}: "):
        define(registry, "it rains", asynchronous)


@pytest.mark.parametrize(("first", "second"), [("when", "when"), (None, "when"), ("when", None)])
def test_the_same_text_twice_is_refused(registry, first, second):
    define(registry, "it rains", lambda world: None, first)
    with pytest.raises(StepDefinitionError, match="already defined at"):
        define(registry, "it rains", lambda world: None, second)


def test_the_same_text_for_another_keyword_is_another_step(registry):
    define(registry, "it rains", lambda world: None, "given")
    define(registry, "it rains", lambda world: None, "then")
    assert len(list(registry)) == 2


@pytest.mark.parametrize(("name", "regexp"), [("int", r"\d"), ("x", "(")])
def test_a_parameter_type_that_cannot_be_is_refused(registry, name, regexp):
    with pytest.raises(StepDefinitionError, match="cannot be defined"):
        registry.define_parameter_type(name=name, regexp=regexp)


def test_steps_of_one_package_are_told_apart(registry):
    define(registry, "it rains", lambda world: None)
    assert [definition.text for definition in registry.of(__name__)] == ["it rains"]
    assert list(registry.of("elsewhere")) == []
