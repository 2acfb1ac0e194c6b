/**
 * What opens the firewall of a machine again where the gateway cannot: commands for its own console, by which it gets rules as Fleet
 * itself marks them. A converge or an enrollment therefore replaces them, and takes them away.
 */

/** Admits the members of the tunnel. */
export const ADMIT_MEMBERS = 'ufw allow in on fleet comment fleet:wireguard-members'

/** Admits SSH from outside; the port is that on which the SSH server of the machine listens. */
export const openPublicSsh = (port: number): string =>
  `ufw allow ${port}/tcp comment fleet:public-ssh-recovery`
