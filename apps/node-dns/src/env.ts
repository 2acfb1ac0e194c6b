/** What the service manager passes to this process, one row each. */
export const settings = [
  {
    name: 'LISTEN_FDS',
    default: '`0`',
    meaning: 'Number of sockets that systemd passes. Set by systemd only.',
  },
  {
    name: 'LISTEN_PID',
    default: 'unset',
    meaning: 'Process that the sockets are for. Set by systemd only.',
  },
] as const

/** How many sockets the service manager passed to this very process, from descriptor 3 on (sd_listen_fds). */
export function inheritedSockets(environment: NodeJS.ProcessEnv = process.env): number {
  const { LISTEN_PID, LISTEN_FDS } = environment
  return LISTEN_PID === String(process.pid) ? Number(LISTEN_FDS) || 0 : 0
}
