const LOOPBACK4 = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i

/** Whether an IP address is a loopback address, such as 127.0.0.1. */
export function isLoopback(address: string): boolean {
  return address === '::1' || LOOPBACK4.test(address)
}

/** Whether a host of a URL or `Host` header is this machine. */
export function isLocalHost(host: string): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return name === '' || name === 'localhost' || name.endsWith('.localhost') || isLoopback(name)
}
