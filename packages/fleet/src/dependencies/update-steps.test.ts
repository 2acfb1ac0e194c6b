import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import { addInstance, addNode, addProject, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { InstanceRecord, StepEnd } from '#/instances/api.ts'
import { COMPOSER, runManager } from '#/dependencies/update-steps.ts'

async function anInstance(): Promise<InstanceRecord> {
  await using store = await openTestStore()
  const placed = { project_id: (await addProject(store)).id, node_id: (await addNode(store)).id }
  const { id } = await addInstance(store, placed)
  return (await testDomains({ store }).instances.instances.find(id)) ?? assert.fail()
}

/** What a package manager that ends so leads to, and the time that it was given. */
async function ending(end: 'succeeded' | StepEnd, isCancelled = false) {
  const cancel = new AbortController()
  const limits: number[] = []
  const instances = {
    runCommand: async (_call: unknown, _of: unknown, { limitSeconds }: { readonly limitSeconds: number }) => {
      limits.push(limitSeconds)
      if (isCancelled) cancel.abort()
      return end
    },
  }
  const call = fakeCall({ deadline: new Deadline(systemClock, 3600, 20), signal: cancel.signal })
  const { status, error_code, may_have_mutated } = await runManager(
    instances,
    call,
    await anInstance(),
    '',
    COMPOSER,
  )
  return [status, error_code, may_have_mutated, ...limits]
}

test('a package manager that fails, takes over 600 s or is cancelled after its start has a code of its own [DEX-027]', async () => {
  assert.deepEqual(await ending('succeeded'), ['succeeded', null, true, 600])
  assert.deepEqual(await ending('failed'), ['failed', 'dependencies.update_failed', true, 600])
  assert.deepEqual(await ending('missing'), ['failed', 'dependencies.update_failed', true, 600])
  assert.deepEqual(await ending('timeout'), ['failed', 'dependencies.update_timeout', true, 600])
  assert.deepEqual(await ending('failed', true), ['failed', 'dependencies.update_cancelled', true, 600])
})
