// The one executable of people and Nodes: the command line, the hidden commands of Nodes, and the way into the gateway.
import { basename } from 'node:path'
import { gatewayProgram } from './gateway-program.ts'
import { nodePrograms } from './node-programs.ts'

const [first = '', ...rest] = process.argv.slice(2)
const program = Object.hasOwn(nodePrograms, first) ? nodePrograms[first] : undefined

if (program) process.exitCode = await program(rest)
else if (first === 'gateway-process' || isConsole())
  process.exitCode = await gatewayProgram(process.argv.slice(2))
else await import('@fleet/cli/main')

/** `fleet-gateway` is a link to this executable. */
function isConsole(): boolean {
  return basename(process.argv0) === 'fleet-gateway'
}
