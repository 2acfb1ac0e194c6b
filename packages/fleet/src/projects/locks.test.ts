import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LockRequest } from '@fleet/store'
import { addProject, fakeCall, FakeClock, openTestStore, testDomains } from '@fleet/testing'

test('the creation of an Instance waits five seconds for the Project, since others hold it for a moment; its destruction does not', async () => {
  await using store = await openTestStore()
  const project = await addProject(store)
  const asked: LockRequest[] = []
  const locks = {
    holderOf: store.locks.holderOf,
    acquire: (request: LockRequest) => {
      asked.push(request)
      return store.locks.acquire({ ...request, waitMilliseconds: 0 })
    },
  }
  const { projects } = testDomains({ store: { ...store, locks }, clock: new FakeClock() })
  assert.equal(await projects.projects.withLock(fakeCall(), project.id, async () => 'done'), 'done')
  await projects.handlers['project:destroy']({ call: fakeCall(), input: { project: project.id } })
  assert.deepEqual(
    asked.map(({ name, waitMilliseconds }) => [name, waitMilliseconds]),
    [
      [`project:${project.id}`, 5000],
      [`project:${project.id}`, 0],
    ],
  )
})
