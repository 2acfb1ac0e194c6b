interface Where {
  readonly home: string
  readonly isDefaultHome: boolean
  /** Another gateway is stored for the command line, and would get the commands; it may be one in production. */
  readonly isShadowed: boolean
}

/** How a person calls the command line for this fleet. */
export const commandLine = ({ home, isDefaultHome, isShadowed }: Where): string =>
  [
    ...(isShadowed ? ['FLEET_GATEWAY=embedded'] : []),
    ...(isDefaultHome ? [] : [`FLEET_HOME=${home}`]),
    './fleet',
  ].join(' ')
