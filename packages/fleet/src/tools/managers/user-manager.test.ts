import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, MalformedOutput } from '@fleet/shell'
import type { NodeScript, NodeSession } from '#/nodes/api.ts'
import { type UserManager, userManager } from '#/tools/managers/user-manager.ts'

type Script = NodeScript<unknown, unknown>

/** A session that keeps the scripts which it is asked, and runs none. */
function keeping(): {
  readonly session: NodeSession
  readonly asked: ReadonlyArray<readonly [Script, unknown]>
} {
  const asked: Array<readonly [Script, unknown]> = []
  const ask = async (script: Script, input: unknown): Promise<undefined> => void asked.push([script, input])
  return { session: { ask } as unknown as NodeSession, asked } // A manager only asks.
}

const answerOf = (text: string): Answer => ({ text: () => text, word: () => 'yes' }) as unknown as Answer // What the readers use.

const given: UserManager = {
  name: 'vp',
  label: 'Vite+',
  root: '/opt/vp',
  sourceOf: (script) => script,
  version: (printed) => (printed === '' ? undefined : printed),
  state: () => ({}) as never, // Not read here.
}

test('every script of a manager runs as who logged in, as one long command of its own time, with the package as second argument', async () => {
  const { session, asked } = keeping()
  const manager = userManager(given)
  const wanted = 'left; rm'
  await manager.inspect(session)
  await manager.read(session, wanted)
  await manager.read(session, wanted, { isFresh: true })
  for (const verb of ['install', 'update', 'remove'] as const) await manager[verb](session, wanted)
  const long = { as: 'login', isLong: true }
  assert.deepEqual(
    asked.map(([{ source, args, as, isLong, timeoutSeconds, maxOutputBytes, broken }, input]) => ({
      script: source,
      args: args?.(input),
      as,
      isLong,
      timeoutSeconds,
      maxOutputBytes,
      broken,
    })),
    [
      { script: 'inspect', args: ['/opt/vp'], timeoutSeconds: 300, broken: 'tool.manager_unavailable' },
      ...['no', 'yes'].map((isFresh) => ({
        script: 'read',
        args: ['/opt/vp', wanted, isFresh],
        timeoutSeconds: 180,
        maxOutputBytes: 8 * 1024 * 1024,
        broken: 'tool.version_probe_failed',
      })),
      ...['install', 'update', 'remove'].map((verb) => ({
        script: verb,
        args: ['/opt/vp', wanted],
        broken: `tool.${verb}_failed`,
      })),
    ].map((one) => ({ timeoutSeconds: undefined, maxOutputBytes: undefined, ...one, ...long })),
  )
})

test('a manager that says no version is malformed output, not a manager without one', async () => {
  const { session, asked } = keeping()
  await userManager(given).inspect(session)
  const read = asked[0]?.[0].read
  assert.ok(read)
  assert.equal(read(answerOf('0.3.0'), undefined), '0.3.0')
  assert.throws(() => read(answerOf(''), undefined), MalformedOutput)
})
