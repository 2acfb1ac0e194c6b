/** The executable of this release for a Node's machine: agents, listeners and servers of the fleet run it. */
export interface NodeExecutable {
  readonly version: string
  /** Hex SHA-256 of the executable, not of what travels. */
  readonly sha256: string
  /** gzip of the executable. */
  read(): Promise<Buffer>
}

/** Executables by the machine's own word for its architecture (`x86_64`); undefined where this release has none. */
export interface NodeExecutables {
  find(architecture: string): Promise<NodeExecutable | undefined>
}
