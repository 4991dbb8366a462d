from harness.expressions import define_parameter_type

define_parameter_type(name="fake_colour", regexp="red|green", transform=str.upper)
