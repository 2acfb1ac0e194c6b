import { programOf, ROOT_FILES, START, textFile } from '@fleet/shell'
import type { NodeScript, NodeSession } from '#/nodes/api.ts'
import { ACCESS_LOGS, AWAKE_MARKERS } from '#/web-server/api.ts'

/** Folder of the records of sleep that outlive a start of the Node, below the data of the web server (HIB-011). */
const SLEEP_FOLDER = '/var/lib/caddy/fleet-hibernation'

/** Where the markers of Instances are. */
export interface MarkerPlace {
  /** Root folder of the machine; empty but in tests. */
  readonly root: string
  readonly instanceId: number
}

/**
 * What the markers of an Instance say. Ages in seconds by the clock of its Node; undefined without the file.
 * - `awake`: when it was last woken, or started while it was awake
 * - `started`: when a person started a Process of it that was not woken since
 * - `visited`: when somebody last visited its site
 * - `slept`: when it was last used before it was put to sleep, or had no dependencies that could be removed
 * - `isHalting`: its Processes are being stopped, or could not all be
 */
export interface Markers {
  readonly awake: number | undefined
  readonly started: number | undefined
  readonly visited: number | undefined
  readonly slept: number | undefined
  readonly isCold: boolean
  readonly isHalting: boolean
}

/** What is written of an Instance that wakes, sleeps, or loses its dependencies. */
export type Marking =
  | 'awake'
  | 'started'
  | 'started-one'
  | 'halting'
  | 'asleep'
  | 'cold'
  | 'kept'
  | 'forgotten'

const FOLDERS = [AWAKE_MARKERS, SLEEP_FOLDER, ACCESS_LOGS] as const

/** The markers of Instances by id, in one round trip. */
export const readMarkers: NodeScript<
  { readonly root: string; readonly instanceIds: readonly number[] },
  ReadonlyMap<number, Markers>
> = {
  source: programOf(textFile('read-markers.sh', import.meta.url), START, ROOT_FILES),
  args: ({ root, instanceIds }) => [root, ...FOLDERS, ...instanceIds],
  timeoutSeconds: 15,
  reasons: {},
  broken: 'node.command_failed',
  read: (answer, { instanceIds }) =>
    new Map(instanceIds.map((id) => [id, markersIn(answer.text(`markers.${id}`))])),
}

/** Those of one Instance. */
export const markersOf = async (
  session: NodeSession,
  { root = '', instanceId }: { readonly root?: string | undefined; readonly instanceId: number },
): Promise<Markers | undefined> =>
  (await session.ask(readMarkers, { root, instanceIds: [instanceId] })).get(instanceId)

function markersIn(text: string): Markers {
  const [awake, started, visited, slept, cold, halting] = text.split(' ')
  return {
    awake: ageOf(awake),
    started: ageOf(started),
    visited: ageOf(visited),
    slept: ageOf(slept),
    isCold: cold === 'yes',
    isHalting: halting === 'yes',
  }
}

/** A clock that was set back makes nothing older. */
const ageOf = (text = ''): number | undefined =>
  /^-?\d{1,12}$/.test(text) ? Math.max(0, Number(text)) : undefined

/**
 * Writes what an Instance has come to, and answers whether it is awake then: `awake` and no longer cold; `started` by a person,
 * with all its Processes or with one of them, which alone does not wake it; `halting` before its Processes stop, and `asleep`
 * once they have; `cold`; `kept` with its dependencies for another long window; `forgotten` with the Instance.
 */
export const markInstance: NodeScript<MarkerPlace & { readonly as: Marking }, { readonly isAwake: boolean }> =
  {
    source: programOf(textFile('mark-instance.sh', import.meta.url), START, ROOT_FILES),
    args: ({ root, instanceId, as }) => [root, ...FOLDERS, instanceId, as],
    timeoutSeconds: 15,
    reasons: {
      unsafe: [
        'node.command_failed',
        'The folder of the markers of sleeping Instances is not safe to write to.',
      ],
    },
    broken: 'node.command_failed',
    read: (answer) => ({ isAwake: answer.text('awake') === 'yes' }),
  }
