import { fail } from '@fleet/contract'
import { MalformedOutput, textField } from '@fleet/shell'
import { executableFor, identityOf, type Machine, settleExecutable } from '#/nodes/api.ts'
import { answered, type ServerState, serverStateOf, standingOf } from '#/realtime/service/commands/answers.ts'
import { applyServer } from '#/realtime/service/commands/apply.ts'
import { inspectServer } from '#/realtime/service/commands/inspect.ts'
import { startServer } from '#/realtime/service/commands/start.ts'
import { type ServerFiles, serverFiles, sha256 } from '#/realtime/service/files.ts'
import { placesOf, type ServiceParts } from '#/realtime/service/parts.ts'
import { serverOf } from '#/realtime/service/target.ts'

const START_SECONDS = 60
/** A machine that has just begun to serve may be slow. */
const ANSWER_MILLISECONDS = 15_000
const BETWEEN_MILLISECONDS = 500

export interface How {
  readonly force: boolean
}

type Changed = 'applied' | 'unchanged'

/** Executable, account, configuration and unit; one round trip when all stand. Throws `realtime.*`, `cli.*` and the codes of Machine. */
export async function ensureFiles(parts: ServiceParts, machine: Machine, { force }: How): Promise<Changed> {
  const places = placesOf(parts)
  const server = await serverOf(parts, machine.node)
  const found = answered(machine, await machine.asRoot(inspectServer(places)), standingOf)
  const { sha256: program } = await executableFor(machine, parts.executables, found.program.architecture)
  const wanted = serverFiles(server, program, places)
  const placed = await settleExecutable(machine, parts.executables, found.program, places.executable)
  if (!force && isWritten(found.files, wanted)) return placed.changed ? 'applied' : 'unchanged'
  const result = await machine.asRoot(applyServer(places.server, wanted))
  if (isWritten(answered(machine, result, serverStateOf), wanted)) return 'applied'
  throw fail('realtime.write_failed', { details: { node: identityOf(machine.node) } })
}

const isWritten = ({ configuration, unit }: ServerState, wanted: ServerFiles): boolean =>
  configuration === sha256(wanted.configuration.reveal()) && unit === sha256(wanted.unit)

/** What runs is what stands there. Throws `realtime.start_failed` and the codes of Machine. */
export async function ensureRunning(parts: ServiceParts, machine: Machine, how: How): Promise<Changed> {
  const command = startServer(placesOf(parts).server, how)
  const result = await machine.asRoot(command, { timeoutSeconds: START_SECONDS })
  return answered(machine, result, (answer) => {
    const running = textField(answer, 'running')
    if (running === 'unchanged') return 'unchanged'
    if (running === 'started') return 'applied'
    throw new MalformedOutput('not what the script answers')
  })
}

/** The gateway reaches it as it will when it publishes. Throws `realtime.not_answering`. */
export async function requireAnswer(parts: ServiceParts, machine: Machine): Promise<void> {
  const { clock, probe } = parts
  const server = await serverOf(parts, machine.node)
  const end = clock.ticks() + Math.min(ANSWER_MILLISECONDS, machine.call.deadline.forwardMilliseconds())
  do {
    if (await probe.answers(server)) return
    await clock.sleep(BETWEEN_MILLISECONDS, machine.call.signal)
  } while (clock.ticks() < end && !machine.call.signal.aborted)
  throw fail('realtime.not_answering', { details: { node: identityOf(machine.node) } })
}
