import assert from 'node:assert/strict'
import { test } from 'node:test'
import { artisanOf } from '#/processes/dashboard.ts'

test('a Process runs a queue dashboard when its command is PHP with `artisan horizon` [INS-125]', () => {
  const php = ['/usr/bin/php8.4']
  for (const [command, found] of [
    [[...php, 'artisan', 'horizon'], { php, artisan: 'artisan' }],
    [
      [...php, '-d', 'a=b', '/srv/a/artisan', 'horizon', '-q'],
      { php: [...php, '-d', 'a=b'], artisan: '/srv/a/artisan' },
    ],
    [['/usr/bin/env', 'php', 'artisan', 'horizon'], { php: ['/usr/bin/env', 'php'], artisan: 'artisan' }],
    [[...php, 'artisan', 'queue:work'], undefined],
    [[...php, 'artisan', 'horizon:snapshot'], undefined],
    [['artisan', 'horizon'], undefined],
    [['/bin/sh', '-c', 'php artisan horizon'], undefined],
    [[...php, 'horizon'], undefined],
    [[], undefined],
  ] as const)
    assert.deepEqual(artisanOf(command), found, command.join(' '))
})
