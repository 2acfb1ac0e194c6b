/** How many sockets the service manager passed to this very process, from descriptor 3 on (sd_listen_fds). */
export function inheritedSockets(environment: NodeJS.ProcessEnv = process.env): number {
  const { LISTEN_PID, LISTEN_FDS } = environment
  return LISTEN_PID === String(process.pid) ? Number(LISTEN_FDS) || 0 : 0
}
