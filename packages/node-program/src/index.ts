export { type Arguments, readArguments } from './arguments.ts'
export { CannotRun, EXIT, unusable } from './cannot-run.ts'
