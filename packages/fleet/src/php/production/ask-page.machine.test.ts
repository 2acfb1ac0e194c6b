import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { localSession, serviceHost } from '@fleet/testing'
import { askPage, type PageAnswer } from '#/php/production/ask-page.ts'
import { skip, startManager, USER, VERSION } from '#/php/production/manager-world.test.ts'

const SOCKET = `/run/php/${USER}.sock`
const RELEASE = 'home/shop/releases/next/public'
const SHOWN = [
  'REQUEST_URI',
  'SCRIPT_NAME',
  'QUERY_STRING',
  'HTTP_HOST',
  'HTTPS',
  'REQUEST_METHOD',
  'DOCUMENT_ROOT',
]
const INDEX = `<?php
if (str_contains($_SERVER['REQUEST_URI'], 'down')) { http_response_code(503); echo 'down'; exit; }
if (str_contains($_SERVER['REQUEST_URI'], 'long')) { echo str_repeat('x', 300000); exit; }
if (str_contains($_SERVER['REQUEST_URI'], 'slow')) { usleep(5000000); }
if (str_contains($_SERVER['REQUEST_URI'], 'dies')) { posix_kill(getmypid(), 9); }
foreach (${JSON.stringify(SHOWN)} as $name) echo $_SERVER[$name], "\\n";`

const textOf = (answer: PageAnswer): readonly unknown[] =>
  answer.outcome === 'answered' ? [answer.status, answer.body.toString()] : [answer.outcome]

test(
  'a page of a release that is not served is asked of the pool as a visitor asks for it, with its status and the beginning of its body',
  { skip },
  async () => {
    await using world = await startManager()
    const { host, session } = world
    host.write(`${RELEASE}/index.php`, INDEX)
    host.write(`${RELEASE}/plain.php`, '<?php http_response_code(201); echo "plain ", getcwd();')
    const webRoot = host.at(RELEASE)
    const ask = async (path: string, seconds?: number) => {
      const request = {
        version: VERSION,
        socket: SOCKET,
        webRoot: `/${RELEASE}`,
        path,
        domain: 'shop.example',
      }
      return textOf(await askPage(session, request, host.root, seconds))
    }
    assert.deepEqual(await ask('/up?full=1'), [
      200,
      ['/up?full=1', '/index.php', 'full=1', 'shop.example', 'on', 'GET', webRoot, ''].join('\n'),
    ])
    assert.deepEqual(await ask('/down'), [503, 'down'])
    assert.deepEqual((await ask('/plain.php'))[0], 201)
    assert.deepEqual(await ask('/long'), [200, 'x'.repeat(512)])
    assert.deepEqual(await ask('/slow', 0.3), ['silent'])
    assert.deepEqual(await ask('/dies'), ['broken'])
  },
)

test('a release without a front controller and a socket of nobody are distinguished', { skip }, async () => {
  using host = serviceHost()
  mkdirSync(host.at(RELEASE), { recursive: true })
  const ask = async () => {
    const request = {
      version: VERSION,
      socket: SOCKET,
      webRoot: `/${RELEASE}`,
      path: '/',
      domain: 'shop.example',
    }
    return textOf(await askPage(localSession(host.pool), request, host.root))
  }
  assert.deepEqual(await ask(), ['missing'])
  host.write(`${RELEASE}/index.php`, '<?php')
  assert.deepEqual(await ask(), ['unavailable'])
})
