import assert from 'node:assert/strict'
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

test('reading ends with its time, with its memory and with the gateway', async () => {
  const files = project(20_000)
  const ended = async (given: typeof limits, signal = never): Promise<void> => {
    await assert.rejects(makeProjectReader(systemClock, given)(files, signal), ReadingEnded)
  }
  await ended({ ...limits, timeoutSeconds: 0 })
  await ended({ ...limits, heapMegabytes: 8 })
  await ended(limits, AbortSignal.abort())
})
