import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { Deadline, systemClock } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import {
  addInstance,
  addNode,
  addProject,
  fakeCall,
  fakeLock,
  openTestStore,
  refusalOf,
  testDomains,
} from '@fleet/testing'
import type { InstanceRecord, StepEnd } from '#/instances/api.ts'
import { COMPOSER, runManager } from '#/dependencies/update-steps.ts'
import { lockOf } from '#/locks/api.ts'

async function anInstance(): Promise<InstanceRecord> {
  await using store = await openTestStore()
  const placed = { project_id: (await addProject(store)).id, node_id: (await addNode(store)).id }
  const { id } = await addInstance(store, placed)
  return (await testDomains({ store }).instances.instances.find(id)) ?? assert.fail()
}

/** What a package manager that ends so leads to, and the time that it was given. */
async function ending(
  end: 'succeeded' | StepEnd | Error,
  {
    isCancelled = false,
    isLater = false,
  }: { readonly isCancelled?: boolean; readonly isLater?: boolean } = {},
) {
  const cancel = new AbortController()
  const limits: number[] = []
  const instances = {
    runCommand: async (_call: unknown, _of: unknown, { limitSeconds }: { readonly limitSeconds: number }) => {
      limits.push(limitSeconds)
      if (isCancelled) cancel.abort()
      if (end instanceof Error) throw end
      return end
    },
  }
  const call = fakeCall({ deadline: new Deadline(systemClock, 3600, 20), signal: cancel.signal })
  const { status, error_code, may_have_mutated } = await runManager(instances, call, await anInstance(), '', {
    ...COMPOSER,
    isLater,
  })
  return [status, error_code, may_have_mutated, ...limits]
}

test('a package manager that fails, takes over 600 s or is cancelled after its start has a code of its own [DEX-027]', async () => {
  assert.deepEqual(await ending('succeeded'), ['succeeded', null, true, 600])
  assert.deepEqual(await ending('failed'), ['failed', 'dependencies.update_failed', true, 600])
  assert.deepEqual(await ending('missing'), ['failed', 'dependencies.update_failed', true, 600])
  assert.deepEqual(await ending('timeout'), ['failed', 'dependencies.update_timeout', true, 600])
  assert.deepEqual(await ending('failed', { isCancelled: true }), [
    'failed',
    'dependencies.update_cancelled',
    true,
    600,
  ])
})

test('a package manager that was never sent has changed nothing; of any other the outcome is unknown [DEX-027]', async () => {
  const failed = (cause?: Error) => fail('node.unreachable', { cause })
  const [unsent, sent] = [new SshFailure('unreachable', false), new SshFailure('connection_lost', true)]
  const update = 'dependencies.update_failed'
  assert.deepEqual(await ending(failed(unsent)), ['failed', update, false, 600])
  assert.deepEqual(await ending(failed(sent)), ['failed', update, true, 600])
  assert.deepEqual(await ending(failed(new Error('another cause'))), ['failed', update, true, 600])
  assert.deepEqual(await ending(failed()), ['failed', update, true, 600])
  const cancelled = 'dependencies.update_cancelled'
  assert.deepEqual(await ending(failed(unsent), { isCancelled: true }), ['failed', cancelled, false, 600])
  assert.deepEqual(await ending(new Error('no code'), { isCancelled: true }), [
    'failed',
    cancelled,
    true,
    600,
  ])
  await assert.rejects(ending(new Error('a defect')), { message: 'a defect' })
})

test('a checkout that is not the one which is recorded is an unsafe source, in which nothing ran [DEX-027]', async () => {
  const unsafe = ['failed', 'dependencies.unsafe_source', false, 600]
  for (const code of [
    'instance.checkout_path_unsafe',
    'instance.source_ownership_mismatch',
    'instance.source_path_mismatch',
  ] as const)
    assert.deepEqual(await ending(fail(code)), unsafe)
  const other = fail('instance.source_failed', { details: { step: 'checkout' } })
  assert.deepEqual(await ending(other), ['failed', 'dependencies.update_failed', true, 600])
})

test('a command that still runs in the checkout makes it busy, and after Composer ran a failed step that changed nothing [DEP-055]', async () => {
  const busy = fail('instance.lifecycle_busy', { details: { outcome: 'busy' } })
  const refused = await refusalOf(ending(busy))
  assert.deepEqual([refused.code, refused.details], ['dependencies.operation_busy', { outcome: 'busy' }])
  assert.deepEqual(await ending(busy, { isLater: true }), [
    'failed',
    'dependencies.update_failed',
    false,
    600,
  ])
})

test('a package manager whose lock was lost has no outcome, however it ended [GW-045]', async () => {
  const instance = await anInstance()
  for (const isCancelled of [false, true]) {
    const cancel = new AbortController()
    let isHeld = true
    const instances = {
      runCommand: async () => {
        isHeld = false
        if (isCancelled) cancel.abort()
        throw fail('node.connection_lost')
      },
    }
    const call = fakeCall({ signal: cancel.signal })
    const hold = lockOf('instance', instance.id, { busy: 'dependencies.operation_busy' })
    using _lost = call.locks.add(
      hold,
      fakeLock(hold, () => isHeld),
    )
    assert.equal(
      (await refusalOf(runManager(instances, call, instance, '', COMPOSER))).code,
      'node.lock_lost',
    )
  }
})

test('less than a second beside the final scan starts no package manager', async () => {
  const instances = { runCommand: () => assert.fail('nothing is to run') }
  const call = fakeCall({ deadline: new Deadline(systemClock, 60, 20) })
  assert.deepEqual(await runManager(instances, call, await anInstance(), '', COMPOSER), {
    ecosystem: 'composer',
    status: 'failed',
    may_have_mutated: false,
    error_code: 'dependencies.update_timeout',
  })
})
