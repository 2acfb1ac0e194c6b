import { type Call, makeSession, type NodeRecord, type NodeSession } from '@fleet/fleet'
import type { SshPool } from '@fleet/ssh'
import { fakeCall } from './call.ts'
import { FINGERPRINT } from './factories.ts'

/** A Node as the queries return it, without a store. */
export const nodeRecord = (given: Partial<NodeRecord> = {}): NodeRecord => ({
  id: 7,
  name: 'web-1',
  status: 'active',
  platform: 'linux',
  architecture: 'x86_64',
  tld: null,
  cluster_id: null,
  public_ssh_host: null,
  public_ssh_port: null,
  user: 'fleet',
  user_home: '/home/fleet',
  wireguard_ip: '10.44.0.7',
  wireguard_public_key: null,
  wireguard_endpoint_override: null,
  dns_server_override: null,
  lan_ip: null,
  ssh_host_fingerprint: FINGERPRINT,
  ssh_port: 22,
  apps_path: null,
  failed_step: null,
  error_code: null,
  agent_secret_hash: null,
  removal: null,
  updating: null,
  provisioned_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  activeRoles: ['app-dev'],
  ...given,
})

/** A session with this computer: whoever runs the tests acts as root, so nothing needs `sudo`. */
export function localSession(
  pool: SshPool,
  { node = nodeRecord(), call = fakeCall() }: { readonly node?: NodeRecord; readonly call?: Call } = {},
): NodeSession {
  const target = { nodeId: node.id, host: '127.0.0.1', port: 22, user: 'root', fingerprint: FINGERPRINT }
  return makeSession({
    call,
    node,
    login: 'root',
    send: (_call, command, options = {}) =>
      pool.run(target, command, {
        timeoutMilliseconds: (options.timeoutSeconds ?? 60) * 1000,
        ...(options.maxOutputBytes === undefined ? {} : { maxOutputBytes: options.maxOutputBytes }),
        ...(options.stdinFrom && { stdinFrom: options.stdinFrom }),
        ...(options.stdoutTo && { stdoutTo: options.stdoutTo }),
      }),
  })
}
