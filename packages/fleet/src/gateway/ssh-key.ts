import type { Handler } from '#/handler.ts'

export interface SshKeyDeps {
  /** The public side of the key with which the gateway logs in on machines. */
  readonly sshKey: { readonly publicKey: string; readonly fingerprint: string }
}

/** The private side never leaves the gateway, so the parts do not even hold it. */
export const makeSshKey =
  ({ sshKey }: SshKeyDeps): Handler<'gateway:ssh-key'> =>
  async () => ({ data: { public_key: sshKey.publicKey, fingerprint: sshKey.fingerprint } })
