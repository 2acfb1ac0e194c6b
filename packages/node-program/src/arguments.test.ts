import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readArguments } from '#/arguments.ts'
import { EXIT } from '#/cannot-run.ts'

const OF = { program: 'agent', title: 'the agent' }

test('a program of a Node has folders of its name, and others where the arguments say so', () => {
  assert.deepEqual(readArguments([], OF), {
    home: '/etc/fleet/agent',
    runtime: '/run/fleet-agent',
    configuration: '',
  })
  const words = ['--home', '/h', '--runtime=/r', '--configuration', 'ab']
  assert.deepEqual(readArguments(words, OF), { home: '/h', runtime: '/r', configuration: 'ab' })
})

test('other words are a wrong usage, and the words are not repeated', () => {
  for (const words of [['--secret', 'x'], ['word'], ['--home']])
    assert.throws(() => readArguments(words, OF), {
      name: 'CannotRun',
      message: 'the agent takes --configuration, --home and --runtime',
      exitStatus: EXIT.usage,
    })
})
