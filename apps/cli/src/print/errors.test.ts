import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerError, ApiError, InputError, UnreachableError } from '@fleet/sdk/core'
import { ClientError, EXIT, usage } from '#/exit.ts'
import { FakeTerminal } from '#/fake-terminal.ts'
import { readTree } from '#/tree.ts'
import { type FailureContext, printFailure } from './errors.ts'
import { failureContext } from './failure-context.ts'

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const api = (given: Partial<ApiError>): ApiError =>
  new ApiError({
    code: 'x.y',
    message: 'No.',
    status: 409,
    details: undefined,
    requestId: ID,
    retry: 'none',
    text: '{"error":{}}',
    ...given,
  })

const printed = (
  error: unknown,
  json = false,
  command = 'env:sync',
  change?: FailureContext['change'],
): { readonly text: string; readonly exit: number } => {
  const terminal = new FakeTerminal()
  const exit = printFailure(error, { command, json, target: 'https://10.44.0.1', change }, terminal)
  assert.equal(terminal.outText, '')
  return { text: terminal.errText, exit }
}
const coded = (code: string): Error => Object.assign(new Error('failed'), { code })
const unreachable = (cause: unknown, timedOut = false): UnreachableError =>
  new UnreachableError('The gateway cannot be reached.', { requestId: ID, timedOut, cause })

test('a full disk is not waited for, and a dead machine is removed offline', () => {
  const next = (given: Partial<ApiError>, command?: string) =>
    / next +(.*)\n/.exec(printed(api({ retry: 'wait', ...given }), false, command).text)?.[1]
  const freeSpace = 'Free space on the Node. Then run the same command again: it resumes where it stopped.'
  assert.equal(next({ code: 'node_role.disk_full' }), freeSpace)
  assert.equal(
    next({ code: 'node_role.install_failed', details: { error_code: 'node_role.disk_full' } }),
    freeSpace,
  )
  assert.equal(next({ code: 'instance.source_failed', details: { reason: 'storage_full' } }), freeSpace)
  const dead = { code: 'node.firewall_recovery_failed', details: { error_code: 'node.unreachable' } }
  assert.match(next(dead, 'node:remove') ?? '', /--offline --force/)
  assert.match(next(dead, 'instance:destroy') ?? '', /--offline --force/)
  assert.doesNotMatch(next(dead, 'node:add') ?? '', /--offline/)
  assert.match(next({ code: 'node.has_roles', retry: 'none' }, 'node:remove') ?? '', /--offline --force/)
})

const AS_RECORDED = [
  'instance.checkout_path_unsafe',
  'instance.source_path_mismatch',
  'instance.source_ownership_mismatch',
  'instance.source_layout_mismatch',
] as const

test('a service whose port another program has leads to that program, not to the same failure again', () => {
  const details = {
    error_code: 'node_role.service_failed',
    unit: 'caddy.service',
    journal: ['loading new config: listening on :80: listen tcp :80: bind: address already in use'],
  }
  const { text } = printed(
    api({ code: 'node_role.convergence_failed', retry: 'repeat', details }),
    false,
    'node:role:add',
  )
  assert.match(
    text,
    / next +Another program has the port that the journal names: on the Node, as root, ss -lntp/,
  )
})

test('a Project that is not there yet is not led to a command for one that is', () => {
  const next = (command: string): string =>
    / next +(.*)\n/.exec(printed(api({ code: 'project.deploy_key_needs_ssh' }), false, command).text)?.[1] ??
    ''
  assert.match(next('project:create'), /^Run the same command with the SSH URL/)
  assert.match(next('project:deploy-key:create'), /fleet project:deploy-key:create/)
})

test('whoever is refused for a directory is never led to a removal of it', () => {
  const next = (code: string, command: string): string =>
    / next +(.*)\n/.exec(printed(api({ code }), false, command).text)?.[1] ?? ''
  for (const code of AS_RECORDED) {
    for (const command of [
      'instance:transfer',
      'instance:register',
      'instance:create',
      'instance:clone',
      'instance:setup',
    ])
      assert.doesNotMatch(next(code, command), /destroy|--force|--offline/, `${code} of ${command}`)
    assert.match(
      next(code, 'instance:destroy'),
      /move away what is there; then fleet instance:destroy INSTANCE --force/,
    )
    assert.doesNotMatch(next(code, 'instance:destroy'), /--offline/)
    assert.doesNotMatch(next(code, 'instance:register'), /INSTANCE/)
  }
  assert.match(
    next('instance.source_layout_mismatch', 'instance:transfer'),
    /^The Instance stays where it is/,
  )
  assert.match(next('instance.checkout_path_unsafe', 'instance:create'), /^On the Node of the details/)
})

test('what stopped a transfer is mended first, then the same command finishes it', () => {
  const next = (cause: string): string => {
    const failed = {
      code: 'instance.transfer_cleanup_incomplete',
      details: { cause },
      retry: 'repeat',
    } as const
    return / next +(.*)\n/.exec(printed(api(failed), false, 'instance:transfer').text)?.[1] ?? ''
  }
  assert.match(
    next('env.sync_would_drop_keys'),
    /^Store each key of the details: fleet env:update INSTANCE KEY\. .* Then run the same command again\.$/,
  )
  assert.match(next('env.source_unsafe'), /0600\. Then run the same command again\.$/)
  assert.equal(next('unknown.code'), 'Run the same command again: it resumes where it stopped.')
})

test('what gives up a machine that is lost for good is named where a transfer or a rule of its firewall stops at it', () => {
  const next = (given: Partial<ApiError>, command: string) =>
    / next +(.*)\n/.exec(printed(api(given), false, command).text)?.[1] ?? ''
  const stopped = { code: 'instance.transfer_failed', details: { cause: 'node.unreachable' }, status: 502 }
  const ends =
    /If it is on that machine: fleet instance:destroy INSTANCE --offline --force\. If on the other one: fleet node:remove LOST --offline --force, then/
  assert.match(next(stopped, 'instance:transfer'), ends)
  assert.match(next({ ...stopped, code: 'instance.transfer_cleanup_incomplete' }, 'instance:transfer'), ends)
  const open = { code: 'instance.transfer_incomplete' }
  assert.match(next(open, 'node:remove'), /details names each transfer;/)
  assert.match(next(open, 'instance:destroy'), /run the same command with --offline --force\.$/)
  assert.doesNotMatch(next(open, 'env:sync'), /--offline/)
  assert.match(next({ code: 'node.has_firewall_rules' }, 'node:remove'), /NODE NAME \(with --offline if/)
  assert.match(
    next({ code: 'firewall.node_unreachable' }, 'node:firewall:remove'),
    /run the same command with --offline\./,
  )
  assert.doesNotMatch(next({ code: 'firewall.node_unreachable' }, 'node:firewall:allow'), /--offline/)
})

test('whoever corrects a request is told what keeps its name until it is removed', () => {
  const next = (given: Partial<ApiError>, command: string, typed = {}): string => {
    const terminal = new FakeTerminal()
    printFailure(api(given), { command, json: false, target: '', typed }, terminal)
    return / next +(.*)\n/.exec(terminal.errText)?.[1] ?? ''
  }
  const missing = { code: 'app-dev.source_access_failed', details: { reason: 'web_root_missing' } }
  assert.match(next(missing, 'route:create', { DOMAIN: 'a.test' }), /after fleet route:destroy a\.test$/)
  for (const code of ['instance.clone_candidate_changed', 'instance.clone_candidate_release_changed'])
    assert.match(
      next({ code }, 'instance:clone'),
      /Account and home stay on its Node .* userdel --remove USER/,
    )
  assert.match(next({ code: 'instance.clone_retry_conflict' }, 'instance:clone'), /account and home stay/)
  const server = { code: 'database.server_slug_conflict' }
  assert.match(
    next(server, 'database:server:create', { SLUG: 'main' }),
    /fleet database:server:destroy main, which keeps its volume/,
  )
  const root = { code: 'env.source_unsafe', details: { reason: 'directory_missing' } }
  assert.match(next(root, 'project:update'), /name a directory that its checkout has/)
  assert.doesNotMatch(next(root, 'env:sync'), /--root/)
  // The source of a copy, which was typed, is not what has the name.
  const taken = { code: 'instance.placement_conflict', details: { instance_id: 7 } }
  assert.match(next(taken, 'instance:create', { INSTANCE: '3' }), /fleet instance:destroy OTHER, with the id/)
})

test('a custom proxy whose creation failed is destroyed before the same command, which would resume nothing', () => {
  const next = (given: Partial<ApiError>, created: boolean): string => {
    const error = api({ ...given, details: { ...given.details, ...(created && { failed_route_id: 45 }) } })
    const terminal = new FakeTerminal()
    const typed = { DOMAIN: 'full.test', NODE: 'web-1' }
    printFailure(error, { command: 'route:create', json: false, target: '', typed }, terminal)
    return / next +(.*)\n/.exec(terminal.errText)?.[1] ?? ''
  }
  const again = 'fleet route:destroy full.test, then run the same command again'
  const failed = { code: 'certificate.publication_failed', retry: 'repeat' } as const
  assert.equal(next(failed, true), `${again}.`)
  assert.equal(next(failed, false), 'Run the same command again: it resumes where it stopped.')
  const full = { ...failed, details: { reason: 'storage_full' } }
  assert.equal(next(full, true), `Free space on the Node. Then ${again}.`)
  assert.match(next({ code: 'node.unreachable', retry: 'wait' }, true), new RegExp(`again, ${again}\\.$`))
  const known = next({ code: 'ca.unavailable' }, true)
  assert.match(known, new RegExp(`${again}\\.$`))
  assert.doesNotMatch(known, /resumes/)
})

test('a next step names the record of the error, and a command of the message goes before any other', () => {
  const next = (given: Partial<ApiError>, command: string) =>
    / next +(.*)\n/.exec(printed(api(given), false, command).text)?.[1]
  const routes = { code: 'process.has_routes', details: { route_id: 7, domain: 'web.internal' } }
  assert.match(next(routes, 'process:destroy') ?? '', /^Remove that Route first: fleet route:destroy 7\. /)
  const silentNode = { id: 5, name: 'live-2' }
  assert.match(
    next({ code: 'tool.node_inactive', details: { node: silentNode } }, 'tool:remove') ?? '',
    /^fleet node:show live-2 /,
  )
  const moving = { code: 'route.reconciliation_required', details: { route: { id: 3, domain: 'a.test' } } }
  assert.match(next(moving, 'cluster:update') ?? '', /^fleet route:show 3 /)
  const calendar = { code: 'schedule.calendar_invalid', details: { project_id: 2, definition: 'bad' } }
  assert.match(
    next(calendar, 'instance:clone') ?? '',
    /^fleet project:schedule-definition:show 2 bad shows .* fleet project:schedule-definition:update with these /,
  )
  const gone = { code: 'env.source_unsafe', details: { node: silentNode, reason: 'directory_missing' } }
  assert.match(
    next(gone, 'env:sync') ?? '',
    /^fleet instance:show INSTANCE shows .* move the one that is missing back/,
  )
  const unreleased = { code: 'process.release_unavailable', details: { instance_id: 3 } }
  assert.match(next(unreleased, 'process:start') ?? '', /: fleet instance:deploy 3\. Then run the same/)
  const bare = { code: 'route.tld_required', details: { node: silentNode } }
  assert.match(next(bare, 'instance:clone') ?? '', /Set one: fleet node:add live-2 --tld TLD\./)
  assert.doesNotMatch(next(bare, 'instance:clone') ?? '', /--domain|cluster:update/)
  const silent = { code: 'route.upstream_unresolved', details: { process_id: 3, ports: [] } }
  assert.match(
    next(silent, 'route:create') ?? '',
    /^fleet process:start 3 starts it, and fleet process:logs 3 /,
  )
  const conflict = { code: 'route.target_conflict', details: { existing_route_id: 5, instance_ids: [1] } }
  assert.match(next(conflict, 'route:destroy') ?? '', /fleet route:update 5 --domain DOMAIN/)
  assert.match(next(conflict, 'route:create') ?? '', /^fleet route:update 5 --domain DOMAIN /)
  const ingress = 'Make each private first: `fleet route:update shop.example --publication private`.'
  const needed = { code: 'node_role.in_use', details: { routes: ['shop.example'] }, message: ingress }
  assert.equal(next(needed, 'node:role:remove'), 'fleet route:update shop.example --publication private')
  const proxy = {
    code: 'route.kind_unsupported',
    details: { kind: 'custom_proxy', reason: 'always_private' },
  }
  assert.doesNotMatch(next(proxy, 'route:update') ?? '', /destroy/)
  assert.match(
    next({ code: 'route.target_web_root_unsupported' }, 'instance:create') ?? '',
    /route:create DOMAIN --node NODE --process PROCESS$/,
  )
  const candidate = { ...conflict, message: 'It never served. Remove it: `fleet route:destroy 6`.' }
  assert.equal(next(candidate, 'route:target:unset'), 'fleet route:destroy 6')
  assert.match(next({ code: 'route.domain_invalid' }, 'instance:create') ?? '', /^Name a domain: --domain /)
  const node = { code: 'schedule.target_invalid', details: { target_type: 'node' } }
  assert.match(next(node, 'schedule:activate') ?? '', /^Nothing has to be done: /)
  const domain = { code: 'env.owner_unavailable', details: { reason: 'route_required', keys: 'APP_URL' } }
  assert.match(next(domain, 'env:sync') ?? '', /^Give it one, if it has a web root: fleet route:create /)
  assert.match(next({ code: 'env.sync_would_drop_keys' }, 'env:sync') ?? '', /env:import INSTANCE --replace/)
})

test('the Node that was typed does not take the place of another one that has to be chosen', () => {
  const next = (given: Partial<ApiError>): string => {
    const typed = { NODE: 'gateway', CLUSTER: 'berlin' }
    const terminal = new FakeTerminal()
    printFailure(api(given), { command: 'node:remove', json: false, target: '', typed }, terminal)
    return / next +(.*)\n/.exec(terminal.errText)?.[1] ?? ''
  }
  assert.match(next({ code: 'node.gateway_removal_forbidden' }), /fleet node:role:relocate OTHER gateway/)
  const last = { code: 'node_role.in_use', details: { reason: 'only_gateway' } }
  assert.match(next(last), /fleet node:role:relocate OTHER gateway/)
  assert.match(next({ code: 'dns.not_installed' }), /^fleet node:converge HUB --force, /)
  assert.match(next({ code: 'instance.transfer_source_router_unknown' }), /router:set berlin ROUTER$/)
  const standalone = { code: 'instance.standalone_unsupported', details: { node: { id: 2, name: 'web-1' } } }
  assert.match(next(standalone), / fleet cluster:node:attach berlin web-1\. /)
  // It cannot be relocated.
  assert.match(next({ code: 'node.vpn_removal_forbidden' }), /^The role vpn cannot be moved/)
  const metrics = { code: 'node.capability_missing', details: { capability: 'metrics' } }
  assert.match(next(metrics), /^This release of Fleet runs no metrics yet/)
})

test('a missing grant, an inactive Cluster, a Schedule and a missing top-level domain are answered by a command that works as printed', () => {
  const next = (given: Partial<ApiError>, command: string, typed = {}): string => {
    const terminal = new FakeTerminal()
    printFailure(api(given), { command, json: false, target: '', typed }, terminal)
    return / next +(.*)\n/.exec(terminal.errText)?.[1] ?? ''
  }
  const [web1, web2] = [
    { id: 2, name: 'web-1' },
    { id: 3, name: 'web-2' },
  ]
  const grant = { code: 'node_access.required', details: { consumer_node: web2, serving_node: web1 } }
  for (const typed of [{}, { SERVING: 'web-1', CONSUMER: 'laptop' }])
    assert.match(next(grant, 'node:access:add', typed), /: fleet node:access:add web-1 web-2$/)
  const unknown = { code: 'node_access.required', details: { consumer_node: web2, serving_node: null } }
  assert.match(next(unknown, 'node:add'), /: fleet node:access:add SERVING web-2$/)
  const inactive = { node: web2, cluster: { id: 1, name: 'berlin' }, reason: 'cluster_inactive' }
  assert.match(
    next({ code: 'instance.standalone_unsupported', details: inactive }, 'instance:transfer'),
    /^Activate it: fleet cluster:update berlin --state active\. /,
  )
  const impossible = { code: 'instance.lifecycle_conflict', details: { reason: 'own_route_impossible' } }
  assert.match(
    next(impossible, 'instance:transfer', { NODE: 'web-2' }),
    /instance:create PROJECT web-2 NAME$/,
  )
  // The Node that does not answer is the one that the Instance leaves, and not the one that was typed.
  const off = { code: 'node.unreachable', details: { node: web1 } }
  assert.match(next(off, 'instance:transfer', { NODE: 'web-2' }), /fleet doctor:run --node web-1 /)
  const scheduled = {
    code: 'schedule.target_in_use',
    message: 'Destroy them first (`fleet schedule:list`, `fleet schedule:destroy`).',
  }
  assert.match(
    next(scheduled, 'instance:transfer'),
    /^fleet schedule:list shows them, fleet schedule:destroy SCHEDULE removes one\. /,
  )
  const bare = { code: 'node.tld_required', details: { node: web2 } }
  assert.match(
    next(bare, 'node:role:add', { NODE: 'web-2' }),
    /^Give the Node one: fleet node:add web-2 --tld TLD\. /,
  )
  assert.match(next(bare, 'node:add'), /^Specify one, for example --tld /)
})

test('Doctor is asked why a Node does not answer, and the machine itself during an enrollment', () => {
  const next = (code: string, command: string, details = {}) =>
    / next +(.*)\n/.exec(printed(api({ retry: 'wait', code, details }), false, command).text)?.[1]
  const cause = { error_code: 'node.unreachable' }
  assert.match(
    next('firewall.node_unreachable', 'node:firewall:live', cause) ?? '',
    /^fleet doctor:run --node/,
  )
  assert.match(next('node.unreachable', 'node:add') ?? '', /^Make sure that the SSH server of the machine/)
})

test('what helps on the console of a machine is named where the gateway has no path to it', () => {
  const next = (code: string, command: string, details = {}) =>
    / next +(.*)\n/.exec(printed(api({ retry: 'wait', code, details }), false, command).text)?.[1] ?? ''
  const node = { id: 2, name: 'web-2' }
  const repair = next('node.footprint_failed', 'node:converge', { node, error_code: 'node.unreachable' })
  assert.match(
    repair,
    /: systemctl restart wg-quick@fleet\. .*: ufw allow in on fleet comment fleet:wireguard-members, or ufw disable .* fleet node:converge web-2 --force/,
  )
  assert.doesNotMatch(repair, /doctor/)
  assert.match(
    next('node.ssh_host_key_scan_failed', 'node:add'),
    /firewall may be in the way: .*, ufw allow 22\/tcp comment fleet:public-ssh-recovery\. Then run the same/,
  )
})

test('a Node with Instances whose host key changed is never answered by the removal of what it owns', () => {
  const node = { id: 2, name: 'web-2' }
  const next = (code: string, command: string, more = {}) =>
    / next +(.*)\n/.exec(printed(api({ code, details: { node, ...more } }), false, command).text)?.[1] ?? ''
  const pins = /: fleet-gateway pin-host-key web-2 FINGERPRINT$/
  for (const text of [
    next('node.has_instances', 'node:add'),
    next('node.ssh_host_key_changed', 'env:sync'),
    next('node.footprint_failed', 'node:converge', { error_code: 'node.ssh_host_key_changed' }),
  ]) {
    assert.match(text, pins)
    assert.doesNotMatch(text, /destroy|remove/)
  }
  assert.match(next('node.has_instances', 'node:remove'), /fleet instance:destroy/)
  // What the machine has is given up only where that is what was asked for.
  assert.match(
    next('node.ssh_host_key_changed', 'instance:destroy'),
    /^If the same machine has a new SSH host key, .*pin-host-key web-2 FINGERPRINT\. If the machine is lost for good/,
  )
})

test('a repository that Git cannot read is answered by what Git complained of', () => {
  const text = (reason: string) =>
    printed(
      api({ code: 'project.default_branch_unavailable', details: { git_reason: reason } }),
      false,
      'project:create',
    ).text.replace(/\s+/g, ' ')
  assert.match(text('certificate'), / next .*update-ca-certificates/)
  assert.match(text('name'), / next .*getent hosts/)
  assert.match(text('server'), / next .*limits requests/)
  assert.match(text('empty'), / next .*git ls-remote/)
})

test('an environment file that cannot be read may be moved away, after which the stored one is written', () => {
  const details = { node: { id: 3, name: 'web' }, path: '/srv/shop/.env', rule: 'quote_open', line: 1 }
  for (const [code, command, given] of [
    ['env.source_unsafe', 'env:sync', { ...details, reason: 'syntax' }],
    ['env.configuration_invalid', 'env:import', details],
  ] as const) {
    const { text } = printed(api({ code, details: given }), false, command)
    assert.match(
      text.replace(/\s+/g, ' '),
      / path \/srv\/shop\/\.env .* next Repair the file .* move the file away: fleet env:sync INSTANCE /,
    )
  }
})

test('a repository that cannot be read for another reason is no branch to push', () => {
  const details = { step: 'fetch', branch: 'main', reason: 'remote_unreadable' }
  const { text } = printed(
    api({ code: 'instance.branch_resolution_failed', details }),
    false,
    'instance:create',
  )
  assert.match(text.replace(/\s+/g, ' '), / next On the machine that reads .*git ls-remote URL shows why/)
})

test('a connection that broke leaves the outcome unknown, and the request is named that shows it', () => {
  const cutOff = new AnswerError('The connection ended before the result.', {
    status: 200,
    requestId: ID,
    isCutOff: true,
  })
  for (const error of [unreachable(coded('ECONNRESET')), unreachable(coded('EPIPE')), cutOff]) {
    const { text, exit } = printed(error, false, 'env:sync', { id: ID })
    assert.equal(exit, EXIT.unreachable)
    assert.match(text.replace(/\s+/g, ' '), /The outcome is unknown/)
    assert.match(text.replace(/\s+/g, ' '), new RegExp(`fleet activity:list --request-id ${ID}`))
  }
  // Nothing arrived there, so nothing is in doubt.
  assert.doesNotMatch(printed(unreachable(coded('ECONNREFUSED'))).text, /unknown/)
})

test('only a command that resumes is to be run again after a lost answer, and a read that sent no change before it', () => {
  const next = (change: FailureContext['change']): string | undefined =>
    / next +(.*)\n/.exec(printed(unreachable(undefined, true), false, 'env:sync', change).text)?.[1]
  const shows = `fleet activity:list --request-id ${ID} shows it`
  const unknown = 'The outcome is unknown: the work may have been done, or still be running.'
  assert.equal(next(undefined), 'Nothing was changed. Run the command again.')
  assert.equal(next({ id: ID }), `${unknown} ${shows}; the same command again may do it once more.`)
  assert.equal(
    next({ id: ID, resumes: true }),
    `${unknown} ${shows}; the same command again resumes what was interrupted.`,
  )
  const other = ID.replace('0', '1')
  const before = `fleet activity:list --request-id ${other} shows what became of the change that was sent before.`
  assert.equal(next({ id: other, resumes: true }), before)
  assert.equal(next({ id: other, interrupted: 'Deployment 7 continues.' }), 'Deployment 7 continues.')
})

test('a held lock names its holder and says what to do', () => {
  const { text, exit } = printed(
    api({
      code: 'env.operation_busy',
      message: 'Held.',
      retry: 'wait',
      details: { holder: { operation: 'env:import', since: '2026-01-02T03:04:05Z' } },
    }),
  )
  assert.equal(exit, EXIT.refused)
  assert.equal(
    text,
    [
      'env.operation_busy  Held.',
      '  holder   env:import since 2026-01-02T03:04:05Z',
      `  request  ${ID}`,
      '  next     Wait a moment, then run the same command again.',
      '',
    ].join('\n'),
  )
})

test('nothing that a foreign gateway answers reaches the terminal as a control character', () => {
  const { text } = printed(
    api({
      code: '\u001B]0;a\u0007',
      message: '\u009B2J',
      requestId: '\u001B[8m',
      details: { '\r': '\u001B[2J', errors: { '\u0007': ['\u0007'] } },
    }),
  )
  // oxlint-disable-next-line no-control-regex -- These must not be there.
  assert.doesNotMatch(text, /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/)
})

test('invalid members are reported one by one, with the help of the command', () => {
  const { text } = printed(
    api({
      code: 'validation.failed',
      message: 'Not valid.',
      details: { errors: { name: ['is required', 'is short'], 'a.b': ['is odd'] } },
    }),
  )
  assert.equal(
    text,
    [
      'validation.failed  Not valid.',
      '  name     is required, is short',
      '  a.b      is odd',
      `  request  ${ID}`,
      '  next     fleet help env:sync',
      '',
    ].join('\n'),
  )
})

test('details that came from a Node cannot steer the terminal', () => {
  const { text } = printed(api({ message: 'a\u001b[31m', details: { '\u001bk': '\u001b]0;x' } }))
  assert.ok(!text.includes('\u001b'))
})

test('a gateway that is not there ends with its own status', () => {
  const { text, exit } = printed(unreachable(coded('ECONNREFUSED')))
  assert.equal(exit, EXIT.unreachable)
  assert.match(
    text,
    /^gateway\.unreachable {2}The gateway cannot be reached \(https:\/\/10\.44\.0\.1\): ECONNREFUSED\./,
  )
  assert.match(printed(unreachable(coded('EADDRNOTAVAIL'))).text, /source address/)
  assert.match(printed(unreachable(undefined, true)).text, /Nothing was changed/)
  assert.equal(printed(new AnswerError('A redirect.', { status: 302, requestId: ID })).exit, EXIT.unreachable)
})

test('a certificate of another root is distinguished from a gateway that is down', () => {
  const { text, exit } = printed(unreachable(coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE')))
  assert.equal(exit, EXIT.unreachable)
  assert.match(text, /^gateway\.ca_verification_failed/)
})

test('the certificate of a gateway that was named on the command line is trusted by that name', () => {
  const error = unreachable(coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'))
  const advice = (gateway: string | undefined) => {
    const terminal = new FakeTerminal()
    printFailure(error, { command: 'node:list', json: false, target: 'https://10.44.0.1', gateway }, terminal)
    return terminal.errText
  }
  assert.match(advice(undefined), /fleet gateway:trust --accept-change/)
  assert.match(advice('lab'), /fleet gateway:trust lab --accept-change/)
})

test('a certificate for another name, and one that is not valid now, have an advice of their own', () => {
  const altName = (host: string, subjectaltname?: string): Error =>
    Object.assign(coded('ERR_TLS_CERT_ALTNAME_INVALID'), { host, cert: { subjectaltname } })
  const about = (cause: Error): readonly string[] => {
    const { text, exit } = printed(unreachable(cause))
    assert.equal(exit, EXIT.unreachable)
    return text
      .split('\n')
      .filter((line) => /^gateway|^ {2}next/.test(line))
      .map((line) => line.replace(/^\S+ +|^ +next +/, ''))
  }
  assert.deepEqual(about(altName('gw.lan', 'DNS:gateway.fleet, IP Address:10.44.0.1')), [
    'The certificate of the gateway (https://10.44.0.1) is not for gw.lan, but for gateway.fleet, 10.44.0.1.',
    'Use one of its names, or add gw.lan to FLEET_GATEWAY_NAMES of the gateway.',
  ])
  assert.deepEqual(about(altName('10.9.9.9')), [
    'The certificate of the gateway (https://10.44.0.1) is not for 10.9.9.9.',
    'Use one of its names.',
  ])
  const clocks = 'Compare the clock of this machine with that of the gateway: date -u'
  assert.deepEqual(about(coded('CERT_HAS_EXPIRED')), [
    'The certificate of the gateway (https://10.44.0.1) has expired, by the clock of this machine.',
    clocks,
  ])
  assert.deepEqual(about(coded('CERT_NOT_YET_VALID')), [
    'The certificate of the gateway (https://10.44.0.1) is not valid yet, by the clock of this machine.',
    `${clocks}. If both are right, on the gateway: fleet-gateway renew-root`,
  ])
})

test('with --json an error is the answer unchanged, or an error of the same shape', () => {
  assert.equal(printed(api({ text: '{"error":{"code":"x.y"}}' }), true).text, '{"error":{"code":"x.y"}}\n')
  assert.equal(
    printed(new ClientError('gateway.profile_missing', 'None.'), true).text,
    '{"error":{"code":"gateway.profile_missing","message":"None."}}\n',
  )
})

test('a wrong command line is reported without a code', () => {
  assert.deepEqual(printed(usage('Argument NODE is missing.')), {
    text: 'Argument NODE is missing.\n  next  fleet help env:sync\n',
    exit: EXIT.usage,
  })
})

test('a wrong command line is answered with the form of the command, unless something better is known', async () => {
  const spec = readTree().commands['instance:create'] ?? assert.fail()
  const given = { spec }
  const about = async (error: unknown): Promise<string> => {
    const terminal = new FakeTerminal()
    printFailure(error, await failureContext(error, given), terminal)
    return terminal.errText
  }
  const form = '  usage  fleet instance:create PROJECT NODE NAME [option…]\n'
  const help = '  next   fleet help instance:create\n'
  assert.equal(await about(usage('Argument NODE is missing.')), `Argument NODE is missing.\n${form}${help}`)
  assert.equal(await about(new InputError('name is no text')), `name is no text.\n${form}${help}`)
  assert.equal(await about(usage('Unknown.', 'Did you mean x?')), 'Unknown.\n  next  Did you mean x?\n')
  assert.equal((await failureContext(api({}), given)).usage, undefined)
})

test('a bug of this client is not dressed up as a refusal', () => {
  assert.throws(() => printed(new TypeError('x is undefined')), TypeError)
})

test('what a Node lacks decides where else to go', () => {
  const next = (capability?: string): string | undefined =>
    / next +(.*)\n/.exec(printed(api({ code: 'node.capability_missing', details: { capability } })).text)?.[1]
  assert.match(next('tools') ?? '', /^Use a Node that is an enrolled machine\. npm run lab -- up /)
  assert.match(next('docker') ?? '', /the role database installs Docker: fleet node:role:add NODE database/)
  assert.match(next('git') ?? '', /apt-get install git/)
  assert.match(next() ?? '', /private network/)
})
