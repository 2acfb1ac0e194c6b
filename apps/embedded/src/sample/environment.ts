import { createHash } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { EnvironmentResult, InstanceData } from '@fleet/contract'
import { ApiError } from '@fleet/sdk'
import { currentUser } from '#/machine.ts'
import type { Stage } from './stage.ts'
import { timed } from './timed.ts'

const KEY = 'SHOP_GREETING'
const VALUE = 'Welcome back — the kettle is on'

interface FileState {
  readonly stats: Stats
  readonly sha256: string
  readonly keys: readonly string[]
}

interface Work {
  readonly stage: Stage
  readonly target: { readonly instance: number }
  /** The `.env` file on the Node, which this process sees as a file of its own. */
  readonly file: string
}

/** Imports the checkout's `.env`, changes one value and brings the file back, then shows that a repeat writes nothing. */
export async function carryEnvironment(stage: Stage, instance: InstanceData): Promise<void> {
  const work = {
    stage,
    target: { instance: instance.id },
    file: join(instance.checkout_path, '.env'),
  }
  await importOnce(work)
  await update(work)
  await synchronize(work)
  await synchronizeAgain(work)
}

const signalOf = ({ stopping }: Stage): { readonly signal: AbortSignal } => ({ signal: stopping })

/** A run that was cut short may have imported already; the stored values are the newer ones then. */
async function importOnce({ stage, target }: Work): Promise<void> {
  const ask = () => stage.client.call('env:import', target, signalOf(stage))
  try {
    await step(stage, 'Import', ask, ({ key_count }) => [
      `.env of the checkout imported into encrypted storage: ${key_count} keys`,
    ])
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'env.import_conflict')) throw error
    stage.screen.done('Import', '.env of the checkout is in encrypted storage already', undefined)
  }
}

async function update({ stage, target, file }: Work): Promise<void> {
  const before = fileState(file)
  const input = { ...target, key: KEY, value: VALUE }
  await step(
    stage,
    'Update',
    () => stage.client.call('env:update', input, signalOf(stage)),
    ({ key_count }) => {
      requireUntouched(before, fileState(file))
      return [`${KEY} stored, one of ${key_count} keys; the file on the Node is unchanged`]
    },
  )
}

async function synchronize({ stage, target, file }: Work): Promise<void> {
  const ask = () => stage.client.call('env:sync', target, signalOf(stage))
  await step(stage, 'Synchronize', ask, () => writtenText(fileState(file), file))
}

async function synchronizeAgain({ stage, target, file }: Work): Promise<void> {
  const before = fileState(file)
  const ask = () => stage.client.call('env:sync', target, signalOf(stage))
  await step(stage, 'Again', ask, ({ changed }) => {
    if (changed) throw new Error('a second synchronization reports a change')
    requireUntouched(before, fileState(file))
    return ['byte for byte what the gateway renders, so nothing was written', `sha256 ${before.sha256}`]
  })
}

function requireUntouched(before: FileState, after: FileState): void {
  if (before.sha256 !== after.sha256 || before.stats.ino !== after.stats.ino)
    throw new Error('the .env file on the Node changed, though nothing should have touched it')
}

type Answered = { readonly data: EnvironmentResult }

async function step(
  { clock, screen }: Stage,
  label: string,
  work: () => Promise<Answered>,
  report: (result: EnvironmentResult) => readonly string[],
): Promise<void> {
  const { value, milliseconds } = await timed(clock, work)
  const [text = '', ...more] = report(value.data)
  screen.done(label, text, milliseconds, more)
}

function writtenText({ stats, keys }: FileState, path: string): readonly string[] {
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0')
  const owner = stats.uid === process.getuid?.() ? currentUser() : `user ${stats.uid}`
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
