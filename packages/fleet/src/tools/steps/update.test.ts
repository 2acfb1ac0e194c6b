import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toolUpdate } from './update.ts'
import type { ToolWork } from './work.ts'

/** What the step does with an installed package of this state. */
async function updated(state: Partial<ToolWork['state']>): Promise<readonly string[]> {
  const done: string[] = []
  const work = {
    row: { package: 'jq' },
    state: { installed: '1.7.1', candidate: '1.8.0', isPresent: true, ...state },
    manager: {
      install: async () => void done.push('install'),
      update: async () => void done.push('update'),
    },
  } as unknown as ToolWork // The step reads nothing else.
  const step = toolUpdate.stepsFor(work).find(({ name }) => name === 'update') ?? assert.fail()
  await step.run(work)
  return done
}

test('a formula that is pinned stays at its version when it is updated [TOOL-033]', async () => {
  assert.deepEqual(await updated({}), ['update'])
  assert.deepEqual(await updated({ isPinned: false }), ['update'])
  assert.deepEqual(await updated({ isPinned: true }), [])
})
