import { createHash } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { EnvironmentResult, InstanceData } from '@fleet/contract'
import { ApiError } from '@fleet/sdk'
import type { Stage } from './stage.ts'
import { timed } from './timed.ts'

const KEY = 'SHOP_GREETING'
const VALUE = 'Welcome back — the kettle is on'

interface FileState {
  readonly stats: Stats
  readonly sha256: string
  readonly keys: readonly string[]
}

/** Imports the checkout's `.env`, changes one value and brings the file back, then shows that a repeat writes nothing. */
export async function carryEnvironment(stage: Stage, instance: InstanceData): Promise<void> {
  const file = join(instance.checkout_path, '.env')
  const target = { instance: String(instance.id) }
  await importOnce(stage, target)
  await step(
    stage,
    'Update',
    () => stage.client.call('env:update', { ...target, key: KEY, value: VALUE }, signalOf(stage)),
    ({ key_count }) => [`${KEY} stored, one of ${key_count} keys; the file on the Node is as it was`],
  )
  await step(
    stage,
    'Synchronize',
    () => stage.client.call('env:sync', target, signalOf(stage)),
    () => writtenText(fileState(file), file),
  )
  const before = fileState(file)
  await step(
    stage,
    'Again',
    () => stage.client.call('env:sync', target, signalOf(stage)),
    ({ changed }) => {
      const after = fileState(file)
      if (changed || after.sha256 !== before.sha256 || after.stats.ino !== before.stats.ino)
        throw new Error('a second synchronization changed the file')
      return ['byte for byte what the gateway renders, so nothing was written', `sha256 ${after.sha256}`]
    },
  )
}

const signalOf = ({ stopping }: Stage): { readonly signal: AbortSignal } => ({ signal: stopping })

/** A run that was cut short may have imported already; the stored values are the newer ones then. */
async function importOnce(stage: Stage, target: { readonly instance: string }): Promise<void> {
  try {
    await step(
      stage,
      'Import',
      () => stage.client.call('env:import', target, signalOf(stage)),
      ({ key_count }) => [`.env of the checkout read into encrypted storage: ${key_count} keys`],
    )
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'env.import_conflict')) throw error
    stage.screen.done('Import', '.env of the checkout is in encrypted storage already', undefined)
  }
}

type Answered = { readonly data: EnvironmentResult }

async function step(
  { clock, screen }: Stage,
  label: string,
  work: () => Promise<Answered>,
  tell: (result: EnvironmentResult) => readonly string[],
): Promise<void> {
  const { value, milliseconds } = await timed(clock, work)
  const [text = '', ...more] = tell(value.data)
  screen.done(label, text, milliseconds, more)
}

function writtenText({ stats, keys }: FileState, path: string): readonly string[] {
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0')
  const owner = stats.uid === userInfo().uid ? userInfo().username : `user ${stats.uid}`
  return [
    `.env replaced on the Node: mode ${mode}, owner ${owner}, ${stats.size} bytes, ${keys.length} keys`,
    path,
    ...foldedKeys(keys),
  ]
}

/** Names only: a value belongs on no screen. */
function foldedKeys(keys: readonly string[]): readonly string[] {
  const perLine = 5
  return Array.from({ length: Math.ceil(keys.length / perLine) }, (_, line) =>
    keys.slice(line * perLine, (line + 1) * perLine).join('  '),
  )
}

function fileState(path: string): FileState {
  const content = readFileSync(path)
  return {
    stats: statSync(path),
    sha256: createHash('sha256').update(content).digest('hex'),
    keys: Object.keys(parseEnv(content.toString('utf8'))),
  }
}
