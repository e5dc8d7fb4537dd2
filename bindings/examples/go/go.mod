module pmu-example

go 1.19
