import { type Clock, PEM_MAX_LINES } from '@fleet/kernel'
import { isObject } from '../gateway.ts'
import { type Docker, DockerFailure } from '../units/docker-socket.ts'
import { Lines } from './lines.ts'
import { type ContainerPart, containerParts } from './container-parts.ts'
import { Pace } from './pace.ts'
import { type ChannelLine, type ReadSource, type Sink, SourceUnavailable } from './source.ts'

const LINE_MAX_BYTES = 256 * 1024
/** A container that ended may be started again. */
const AGAIN_MILLISECONDS = 2000

export interface ContainerDeps {
  readonly docker: Docker
  readonly clock: Clock
  readonly container: string
  readonly processId: number
  /** First lines. */
  readonly count: number
}

/**
 * What a container writes: its last lines, then what follows, distinguished by Docker's own timestamps, so nothing in
 * between is lost or repeated, also when the container is started again. A container of another Process by the same
 * name is not read.
 */
export const container =
  (deps: ContainerDeps): ReadSource =>
  async (sink, signal) => {
    try {
      await read(deps, sink, signal)
    } catch (error) {
      if (!signal.aborted) throw error instanceof DockerFailure ? new SourceUnavailable(error) : error
    }
  }

async function read(deps: ContainerDeps, sink: Sink, signal: AbortSignal): Promise<void> {
  const { docker, clock, container: name, count } = deps
  const path = `/containers/${encodeURIComponent(name)}`
  const logs = `${path}/logs?stdout=1&stderr=1&timestamps=1`
  let tty = await requireContainer(deps, path, signal)
  // The newest bytes that are shown, so that what follows can be distinguished from them.
  const seen = new Newest()
  const first: ChannelLine[] = []
  const writing = { out: new Lines(LINE_MAX_BYTES), error: new Lines(LINE_MAX_BYTES) }
  const linesOf = ({ channel, bytes }: ContainerPart): readonly ChannelLine[] =>
    writing[channel].take(bytes).map((line) => ({ ...line, channel }))
  // A block may begin above the first line that is shown.
  const ended = await docker.stream(`${logs}&tail=${count + PEM_MAX_LINES}`, signal)
  for await (const part of containerParts(ended, tty)) if (seen.isNew(part)) first.push(...linesOf(part))
  sink.first(first)
  const pace = new Pace(clock)
  const follow = async (): Promise<void> => {
    const following = await docker.stream(`${logs}&follow=1&since=${seen.seconds}`, signal)
    for await (const part of containerParts(following, tty)) {
      if (!seen.isNew(part)) continue
      sink.take(linesOf(part))
      await pace.read(part.bytes.length)
    }
  }
  while (!signal.aborted) {
    seen.again()
    // However it ended, whether the container is still there decides what comes next.
    await follow().catch(() => undefined)
    await clock.sleep(AGAIN_MILLISECONDS, signal)
    if (!signal.aborted) tty = await requireContainer(deps, path, signal)
  }
}

/** Whether its output is one terminal's. Throws SourceUnavailable for a container that carries another Process. */
async function requireContainer(
  { docker, processId }: ContainerDeps,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await docker.read(`${path}/json`, signal)
  const config = isObject(found) && isObject(found['Config']) ? found['Config'] : {}
  const labels = isObject(config['Labels']) ? config['Labels'] : {}
  if (labels['fleet.process.id'] !== String(processId)) throw new SourceUnavailable()
  return config['Tty'] === true
}

interface Seen {
  newest: string
  /** Time of the newest bytes: earlier than `newest` once the clock of the machine was set back. */
  last: string
  /** Where the reading is, compared with the newest bytes that are known. */
  place: 'before' | 'at' | 'after'
}

/**
 * Docker's times have nanoseconds, and their texts sort like the times. The pieces of one long line share theirs. What follows the
 * newest bytes is new whatever its time, since the clock of a machine may be set back.
 */
class Newest {
  readonly #channels: Record<ContainerPart['channel'], Seen> = {
    out: { newest: '', last: '', place: 'before' },
    error: { newest: '', last: '', place: 'before' },
  }

  /** From here on what is known is passed over when it comes again. */
  again(): void {
    for (const seen of Object.values(this.#channels)) seen.place = 'before'
  }

  isNew({ channel, at }: ContainerPart): boolean {
    const seen = this.#channels[channel]
    if (seen.place !== 'after') {
      if (at === seen.last) seen.place = 'at'
      else if (seen.place === 'at' || at > seen.newest) seen.place = 'after'
    }
    if (seen.place !== 'after') return false
    seen.last = at
    if (at > seen.newest) seen.newest = at
    return true
  }

  /** Unix time from which nothing is missed on either channel, in whole seconds. */
  get seconds(): string {
    const { out, error } = this.#channels
    const from =
      out.newest === '' || (error.newest !== '' && error.newest < out.newest) ? error.newest : out.newest
    const time = Date.parse(from)
    return Number.isNaN(time) ? '0' : String(Math.floor(time / 1000))
  }
}
