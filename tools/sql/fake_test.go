package sql_test

// fakes are programs that the Toolbox could be, by the name of the link to the tests' own program.
var fakes = map[string]func(){}
