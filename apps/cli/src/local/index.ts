import { readMembers, requireMembers } from '#/args/values.ts'
import type { CommandSpec } from '#/command-spec.ts'
import { allCommands, type Commands, requireCommand as commandOrUsage, unknownCommand } from '#/commands.ts'
import type { Context, Invocation } from '#/context.ts'
import { EXIT, type ExitCode, usage } from '#/exit.ts'
import { printCandidates } from './completion.ts'
import { completionScript } from './completion-script.ts'
import { addGateway } from './gateway-add.ts'
import { listGateways, removeGateway, useGateway } from './gateway-profiles.ts'
import { showStatus } from './gateway-status.ts'
import { renewTrust } from './gateway-trust.ts'
import { printHelp } from './help.ts'
import type { LocalRun } from './local-run.ts'
import { isLocal, type LocalName } from './specs.ts'
import { printVersion } from './version.ts'

const RUNS: Readonly<Record<LocalName, LocalRun>> = {
  completion: async ({ terminal }, _invocation, { shell }) => terminal.out(completionScript(String(shell))),
  // Live commands bring a client of their own, which no other command should wait for.
  'database:query': async (...given) => (await import('#/database/query.ts')).runDatabaseQuery(...given),
  'database:shell': async (...given) => (await import('#/database/shell.ts')).runDatabaseShell(...given),
  'deployment:show': async (...given) => (await import('#/deployments/show.ts')).runDeploymentShow(...given),
  feed: async (...given) => (await import('#/live/feed.ts')).runFeed(...given),
  'gateway:add': addGateway,
  'gateway:list': listGateways,
  'gateway:remove': removeGateway,
  'gateway:status': showStatus,
  'gateway:trust': renewTrust,
  'gateway:use': useGateway,
  'github:app:install': async (...given) => (await import('#/github/app-install.ts')).runAppInstall(...given),
  'instance:dependencies:scan': async (...given) =>
    (await import('#/dependencies/scan.ts')).runScan(...given),
  'instance:logs': async (...given) => (await import('#/live/logs.ts')).runInstanceLogs(...given),
  'instance:open': async (...given) => (await import('#/instances/open.ts')).runOpen(...given),
  'route:target:set': async (...given) => (await import('#/routes/target-set.ts')).runTargetSet(...given),
  'instance:rollback': async (...given) => (await import('#/deployments/rollback.ts')).runRollback(...given),
  top: async (...given) => (await import('#/live/top.ts')).runTop(...given),
}

/** Runs a word that is no command: help, a family, the version, the shell's question for words. Undefined for anything else. */
export function runWord(
  word: string,
  rest: readonly string[],
  context: Context,
): ExitCode | Promise<ExitCode> | undefined {
  if (word === 'help' || word === '--help' || word === '-h') return printHelp(rest, context)
  if (word === 'version' || word === '--version') return printVersion(context)
  const commands = allCommands(context.tree)
  if (word === '__complete') return printCandidates(rest, commands, context)
  const isFamily = commands.find(word) === undefined && commands.families.some(({ name }) => name === word)
  if (!isFamily) return undefined
  const name = rest.find((other) => !other.startsWith('-'))
  if (name !== undefined) throw notACommand(commands, word, name)
  return printHelp([word], context)
}

/** `instance destroy` must not end as if it had been done. */
function notACommand(commands: Commands, family: string, name: string): Error {
  const [meant, typed] = [`${family}:${name}`, `${family} ${name}`]
  if (commands.find(meant)) return usage(`Unknown command: ${typed}.`, `Did you mean ${meant}?`)
  return unknownCommand(commands, meant, typed)
}

/** The command of this name; throws the usage error that names its neighbours. */
export const requireCommand = (tree: Context['tree'], name: string): CommandSpec =>
  commandOrUsage(allCommands(tree), name)

/** Runs a command of this client itself. */
export async function runLocal(context: Context, invocation: Invocation): Promise<ExitCode> {
  const { command, line } = invocation
  const members = readMembers(line, command)
  requireMembers(members, command)
  if (!isLocal(command.name)) throw new Error(`no code runs ${command.name}`)
  return (await RUNS[command.name](context, invocation, members)) ?? EXIT.ok
}
