import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import type { SourceFiles } from '@fleet/lockfiles'
import { makeProjectReader, ReadingEnded } from '#/dependencies/reader/reader.ts'

const never = new AbortController().signal
const limits = { timeoutSeconds: 20, heapMegabytes: 512 }

/** A project of npm with so many packages. */
function project(packages: number): SourceFiles {
  const names = Array.from({ length: packages }, (_, at) => `package-${at}`)
  const dependencies = Object.fromEntries(names.map((name) => [name, '^1.0.0']))
  const installed = names.map((name) => [
    `node_modules/${name}`,
    { version: '1.0.0', integrity: name.repeat(5) },
  ])
  return {
    'package.json': JSON.stringify({ dependencies }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: { '': { dependencies }, ...Object.fromEntries(installed) },
    }),
  }
}

test('a large project is read in a thread, with the same result', async () => {
  const read = makeProjectReader(systemClock, limits)
  const small = await read(project(10), never)
  assert.equal(small.javascript.status === 'read' && small.javascript.graph.resolutions.length, 10)
  const large = await read(project(5000), never)
  assert.equal(large.javascript.status === 'read' && large.javascript.graph.resolutions.length, 5000)
  assert.equal(large.composer.status, 'absent')
})

test('the thread of a large project reads the next one too, unless it was ended, and others read beside it', async () => {
  const started: unknown[] = []
  const counted = (thread: unknown): unknown => started.push(thread)
  subscribe('worker_threads', counted)
  const read = makeProjectReader(systemClock, limits)
  const resolutions = async (packages: number) => {
    const { javascript } = await read(project(packages), never)
    return javascript.status === 'read' && javascript.graph.resolutions.length
  }
  assert.deepEqual([await resolutions(4000), await resolutions(5000), started.length], [4000, 5000, 1])
  assert.deepEqual(await Promise.all([resolutions(4000), resolutions(4500)]), [4000, 4500])
  assert.equal(started.length, 2)
  await assert.rejects(read(project(20_000), AbortSignal.abort()), ReadingEnded)
  assert.equal(started.length, 2)
  assert.deepEqual([await resolutions(4000), started.length], [4000, 3])
  unsubscribe('worker_threads', counted)
})

test('a signal that outlives the reading keeps nothing of it', async () => {
  const read = makeProjectReader(systemClock, limits)
  const { signal } = new AbortController()
  await read(project(5000), signal)
  await assert.rejects(
    makeProjectReader(systemClock, { ...limits, timeoutSeconds: 0 })(project(5000), signal),
  )
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

test('reading ends with its time, with its memory and with the gateway', async () => {
  const files = project(20_000)
  const ended = async (given: typeof limits, signal = never): Promise<void> => {
    await assert.rejects(makeProjectReader(systemClock, given)(files, signal), ReadingEnded)
  }
  await ended({ ...limits, timeoutSeconds: 0 })
  await ended({ ...limits, heapMegabytes: 8 })
  await ended(limits, AbortSignal.abort())
})
