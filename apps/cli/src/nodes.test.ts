import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Clock, systemClock } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import type { FakeTerminalOptions } from './fake-terminal.ts'
import { type Ended, makePerson } from './run-harness.ts'

interface Scene extends AsyncDisposable {
  readonly gateway: HttpsGateway
  type(line: string, terminal?: FakeTerminalOptions): Promise<Ended>
}

const meta = { request_id: '00000000-0000-4000-8000-000000000001' }
const envelope = (data: unknown): Reply => ({ body: { data, meta } })
const refused = (status: number, code: string, details?: unknown): Reply => ({
  status,
  body: { error: { code, message: 'No.', ...(details ? { details } : {}) } },
})

type Answers = Readonly<Record<string, Reply | (() => Promise<Reply>)>>

/** A person who has added a gateway that answers by method and path. */
async function scene(answers: Answers, clock: Clock = systemClock): Promise<Scene> {
  const gateway = await startHttpsGateway(systemClock, ({ method, url }, { root }) => {
    const known: Answers = {
      'GET /api/v1/ca/root': envelope({ root_ca: root().certificate, sha256: root().sha256 }),
      'GET /api/v1/nodes': envelope([{ id: 3, name: 'web-1' }]),
      ...answers,
    }
    const reply = known[`${method} ${url}`] ?? refused(404, 'http.404')
    return typeof reply === 'function' ? reply() : reply
  })
  const person = makePerson(clock)
  const type = (line: string, terminal?: FakeTerminalOptions): Promise<Ended> =>
    person.type(line.split(' '), terminal)
  await type(`gateway:add office ${gateway.url} --accept-new`)
  return {
    gateway,
    type,
    async [Symbol.asyncDispose]() {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

const at = '2026-01-02T03:04:05.000Z'
const step = (name: string, status: string, milliseconds?: number): string =>
  `${JSON.stringify({ type: 'step', step: name, status, at, milliseconds })}\n`
const node = { id: 3, name: 'web-1', status: 'active' }
const lines = (...texts: readonly string[]): Reply => ({
  headers: { 'content-type': 'application/x-ndjson' },
  body: texts.join(''),
})
const FINGERPRINT = `SHA256:${'k'.repeat(43)}`
const ADD = `node:add web-1 203.0.113.7 --host-key-fingerprint ${FINGERPRINT} --roles app-dev --roles database`

test('an enrolment shows its steps beside the answer, and sends what was typed', async () => {
  const result = `${JSON.stringify({ type: 'result', status: 201, data: node, meta })}\n`
  await using office = await scene({
    'POST /api/v1/nodes': lines(step('bootstrap', 'started'), step('bootstrap', 'done', 12_345), result),
  })
  const { exit, out, err } = await office.type(ADD)
  assert.equal(exit, 0, err)
  assert.equal(out, 'id      3\nname    web-1\nstatus  active\n')
  assert.match(err, /^bootstrap: done after 12\.3 s\n1 step in \d+\.\d s\n$/)
  const sent = office.gateway.asked.at(-1)
  assert.match(sent?.headers['accept'] ?? '', /^application\/x-ndjson/)
  assert.deepEqual(JSON.parse(sent?.body ?? ''), {
    name: 'web-1',
    public_ssh_host: '203.0.113.7',
    host_key_fingerprint: FINGERPRINT,
    roles: ['app-dev', 'database'],
  })
})

test('what the firewall closed is shown with a command on each line, after a success and after a failure', async () => {
  const said = ['It closes 80/tcp (nginx):', 'fleet node:firewall:allow web-1 nginx-80 80']
  const data = { ...node, follow_up: said.join('\n') }
  await using office = await scene({
    'POST /api/v1/nodes': lines(`${JSON.stringify({ type: 'result', status: 201, data, meta })}\n`),
  })
  const { out } = await office.type(ADD)
  assert.equal(
    out,
    'id         3\nname       web-1\nstatus     active\nfollow_up  It closes 80/tcp (nginx):\n           fleet node:firewall:allow web-1 nginx-80 80\n',
  )
  const error = { code: 'node.provisioning_failed', message: 'No.', details: { follow_up: said } }
  await using broken = await scene({
    'POST /api/v1/nodes': lines(`${JSON.stringify({ type: 'error', status: 502, error, meta })}\n`),
  })
  const { err } = await broken.type(ADD)
  assert.match(
    err,
    /\n {2}follow_up {2}It closes 80\/tcp \(nginx\):\n {13}fleet node:firewall:allow web-1 nginx-80 80\n/,
  )
})

test('a new Node says who may act on it, one that was recorded that it is converged', async () => {
  const answer = (status: number): Reply =>
    lines(`${JSON.stringify({ type: 'result', status, data: node, meta })}\n`)
  const said = async (status: number): Promise<string> => {
    await using office = await scene({ 'POST /api/v1/nodes': answer(status) })
    return (await office.type(ADD, { isTerminal: true })).err
  }
  assert.match(
    await said(201),
    /have access\. To give another Node access: fleet node:access:add web-1 NODE\n$/,
  )
  assert.equal(await said(200), 'The Node already existed and was converged.\n')
})

test('with --json only the error is printed where a program reads, however long the work takes', async () => {
  const clock = new FakeClock(systemClock.now().toISOString())
  await using office = await scene(
    {
      'POST /api/v1/nodes': async () => {
        clock.advance(60_000)
        await new Promise((resolve) => setImmediate(resolve))
        return refused(502, 'node.agent_install_failed')
      },
    },
    clock,
  )
  const { out, err } = await office.type(`${ADD} --json`)
  assert.equal(out, '')
  assert.equal(err, '{"error":{"code":"node.agent_install_failed","message":"No."}}\n')
})

test('with --json an enrolment is one document and asks for no lines', async () => {
  await using office = await scene({ 'POST /api/v1/nodes': envelope(node) })
  const { out, err } = await office.type(`${ADD} --json`)
  assert.deepEqual(JSON.parse(out), { data: node, meta })
  assert.equal(err, '')
  assert.equal(office.gateway.asked.at(-1)?.headers['accept'], 'application/json')
})

test('a failed step is named with its code, and the way on is the one of its cause', async () => {
  const error = {
    code: 'node.bootstrap_failed',
    message: 'The machine could not be prepared over the first login.',
    details: { step: 'bootstrap', error_code: 'node.authentication_failed' },
    ...meta,
  }
  await using office = await scene({
    'POST /api/v1/nodes': lines(
      step('bootstrap', 'started'),
      step('bootstrap', 'failed', 800),
      `${JSON.stringify({ type: 'error', status: 502, error })}\n`,
    ),
  })
  const { exit, out, err } = await office.type(ADD)
  assert.deepEqual([exit, out], [1, ''])
  assert.equal(
    err,
    [
      'bootstrap: failed after 0.8 s',
      'node.bootstrap_failed  The machine could not be prepared over the first login.',
      '  step        bootstrap',
      '  error_code  node.authentication_failed',
      `  request     ${meta.request_id}`,
      '  next        Add the line that fleet gateway:ssh-key prints to ~/.ssh/authorized_keys of the user that the message names. If it is there, the SSH server may not admit that user: sshd -T on the machine shows AllowUsers and PermitRootLogin. Then run the same command again.',
      '',
    ].join('\n'),
  )
})

test('a step that can be repeated says so, and a missing fingerprint says where to read it', async () => {
  await using office = await scene({ 'POST /api/v1/nodes': refused(502, 'node.role_convergence_failed') })
  assert.match(
    (await office.type(ADD)).err,
    /next {5}Run the same command again: it resumes where it stopped\.\n$/,
  )
  await using other = await scene({
    'POST /api/v1/nodes': refused(422, 'node.ssh_host_fingerprint_required'),
  })
  assert.match(
    (await other.type('node:add web-1 203.0.113.7')).err,
    /ssh-keyscan -t ed25519 HOST \| ssh-keygen -lf -\n$/,
  )
})

test('a removal says what stays behind before it asks', async () => {
  const line = 'node:remove web-1'
  await using office = await scene({})
  const no = await office.type(line, { isTerminal: true, typed: ['n'] })
  assert.equal(no.exit, 2)
  assert.match(
    no.err,
    /^The Node leaves the private network, and its public SSH opens again\. Its packages, users and data stay on the machine\.\n/,
  )
  assert.deepEqual(no.questions, ['Remove a Node from the fleet: node web-1. Continue? [y/N] '])
  const offline = await office.type(`${line} --offline --force`, { isTerminal: true, typed: ['n'] })
  assert.match(offline.err, /Everything on the machine stays, including keys and data\.\n/)
  assert.equal((await office.type(line)).exit, 2)
  assert.ok(office.gateway.asked.every(({ method }) => method === 'GET'))
})

test('a Node is shown with the states of its roles, and without them where they are refused', async () => {
  const detail = {
    ...node,
    platform: 'linux',
    architecture: 'x86_64',
    public_ssh_host: null,
    public_ssh_port: null,
    user: 'fleet',
    ssh_host_fingerprint: null,
    settings: null,
    wireguard_ip: '10.44.0.5',
    wireguard_public_key: null,
    wireguard_endpoint_override: null,
    dns_server_override: null,
    lan_ip: null,
    tld: null,
    cluster_id: null,
    failed_step: null,
    error_code: null,
    roles: ['database'],
    access: { can_access: [], accessible_by: [] },
    excluded_projects: [],
    callers: null,
  }
  const role = {
    id: 5,
    role: 'database',
    status: 'failed',
    failed_step: 'docker',
    error_code: 'node.unreachable',
  }
  await using office = await scene({
    'GET /api/v1/nodes/3': envelope(detail),
    'GET /api/v1/nodes/3/roles': envelope([role]),
  })
  const { out } = await office.type('node:show web-1')
  assert.match(out, /\nRoles\n {2}database {2}failed\n/)
  assert.match(
    out,
    /The role database stopped at step docker\. The Node does not answer over SSH\. \(node\.unreachable\)\n {2}next {2}fleet node:role:add web-1 database\n/,
  )
  await using other = await scene({ 'GET /api/v1/nodes/3': envelope(detail) })
  assert.match((await other.type('node:show 3')).out, /\nRoles\n {2}active {2}database\n/)
})
