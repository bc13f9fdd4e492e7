"""A client whose handshake takes long. Arguments: port, and text to send. It ignores what the server sends until it reads a
line; the system then repeats the handshake. Prints "begun", then "connected", then the first line of the response."""
import ctypes
import select
import socket
import struct
import sys
import time

SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
# Between the handshake and the request, in seconds: longer than a server takes to close its port that does not wait.
PAUSE = 0.8

def say(text):
    print(text, flush=True)

client = socket.socket()
client.setblocking(False)
# A program of one instruction, which drops every packet: `ret 0`.
program = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
client.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(program)))
client.connect_ex(("127.0.0.1", int(sys.argv[1])))
say("begun")
sys.stdin.readline()
client.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, struct.pack("i", 0))
# It can be written to when it is connected.
select.select([], [client], [])
client.setblocking(True)
say("connected")
time.sleep(PAUSE)
try:
    client.sendall(sys.argv[2].encode())
    say(client.recv(1000).decode().splitlines()[0])
except OSError as error:
    say(error.strerror)
