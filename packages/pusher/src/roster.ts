/** A user on a presence channel, as its other members see it. */
export interface Member {
  readonly userId: string
  readonly userInfo: unknown
}

/**
 * The users of one presence channel. A user may be there by several connections; only the first arrival and the last
 * departure are news (AG-015). Joining and leaving cost the same however many members there are.
 */
export class Roster {
  readonly #members = new Map<string, { readonly userInfo: unknown; connections: number }>()
  #listing: string | undefined

  /** True when the user was not there before. The info of a user who is there already stays. */
  join({ userId, userInfo }: Member): boolean {
    const known = this.#members.get(userId)
    if (known) {
      known.connections += 1
      return false
    }
    this.#members.set(userId, { userInfo, connections: 1 })
    this.#listing = undefined
    return true
  }

  /** True when the user is not there any more. */
  leave(userId: string): boolean {
    const known = this.#members.get(userId)
    if (!known) return false
    known.connections -= 1
    if (known.connections > 0) return false
    this.#members.delete(userId)
    this.#listing = undefined
    return true
  }

  get size(): number {
    return this.#members.size
  }

  userIds(): readonly string[] {
    return [...this.#members.keys()]
  }

  /** `{presence: {count, ids, hash}}` as JSON, rebuilt only after a change. */
  listing(): string {
    return (this.#listing ??= JSON.stringify({
      presence: {
        count: this.#members.size,
        ids: this.userIds(),
        hash: Object.fromEntries([...this.#members].map(([id, { userInfo }]) => [id, userInfo ?? null])),
      },
    }))
  }
}
