import { ADMIT_MEMBERS } from '@fleet/contract/console-commands'

/** Sentences that many next steps end with. */

export const SAME_COMMAND = 'Then run the same command again: it resumes where it stopped.'

export const AGAIN = 'Then run the same command again.'

export const ANOTHER_GATEWAY = 'Move it to another Node: fleet node:role:relocate OTHER gateway'

export const GONE =
  'If the machine is lost for good, run the same command with --offline --force. Otherwise bring it back online and try again.'

export const GONE_FROM_RECORDS =
  'If the machine is lost for good, run the same command with --offline. Otherwise bring it back online and try again.'

export const SILENT = `fleet doctor:run --node NODE shows why the Node does not answer. When it does again, run the same command again: it resumes where it stopped.`

/** For a repair that found no path to the machine: Doctor would name the same command again. */
export const AT_ITS_CONSOLE = `Bring the machine back online. If it is running, on its console: systemctl restart wg-quick@fleet. If the Node still does not answer, its firewall is in the way: ${ADMIT_MEMBERS}, or ufw disable for the moment. Then fleet node:converge NODE --force restores tunnel and firewall.`

/** Only a person at the console of the machine can say whose key it is. */
export const NEW_HOST_KEY =
  'If the same machine has a new SSH host key, read that on its console (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub) and pin it on the gateway: fleet-gateway pin-host-key NODE FINGERPRINT'

export const FREE_SPACE = `Free space on the Node. ${SAME_COMMAND}`

/** Without `--force` only what the records or this release have changed is looked at. */
export const CONVERGE = `fleet node:converge NODE --force. ${AGAIN}`

/** For what only the machine itself can show. */
export const DOCTOR =
  'fleet doctor:run --node NODE shows what is wrong there, and the command that repairs it.'
