// An empty file of assembly lets templates.go declare a function without a body.
