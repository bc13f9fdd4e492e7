/** Whether an address is of this machine, such as 127.0.0.1. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1' || address.startsWith('::ffff:127.')
}

/** Whether a host, as addresses and the `Host` header name it, is this machine by itself. */
export function isLocalHost(host: string): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return name === '' || name === 'localhost' || name.endsWith('.localhost') || isLoopback(name)
}
