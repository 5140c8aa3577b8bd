// SPDX-License-Identifier: Apache-2.0

// truth MODE SECONDS: one algorithm of Go's standard library, again and again, for so much CPU time.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

var data = make([]byte, 16384)

func block() cipher.Block {
	b, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		panic(err)
	}
	return b
}

func cbc() func() {
	c := cipher.NewCBCEncrypter(block(), make([]byte, 16))
	return func() { c.CryptBlocks(data, data) }
}

func gcm() func() {
	c, err := cipher.NewGCM(block())
	if err != nil {
		panic(err)
	}
	out := make([]byte, 0, len(data)+16)
	return func() { c.Seal(out, make([]byte, 12), data, nil) }
}

// Go hashes the keys of maps with AES instructions: hashing, no encryption.
func maps() func() {
	words := make([]string, 4096)
	for i := range words {
		words[i] = fmt.Sprintf("a key that is %d long enough to be hashed by AES rounds %d", i, i)
	}
	m := map[string]int{}
	return func() {
		for _, w := range words {
			m[w]++
		}
	}
}

// Goroutines whose stacks grow and move while they call digests: what a probe that changes the
// stack would crash.
func grow(depth int) byte {
	var room [512]byte
	if depth == 0 {
		return sha256.Sum256(data[:64])[0]
	}
	room[depth%512] = grow(depth - 1)
	return room[depth%512]
}

func goroutines() func() {
	return func() {
		done := make(chan byte)
		for i := 0; i < 50; i++ {
			go func() { done <- grow(100) }()
		}
		for i := 0; i < 50; i++ {
			<-done
		}
	}
}

var modes = map[string]func() func(){
	"aes-cbc": cbc,
	"gcm":     gcm,
	"sha256":  func() func() { return func() { sha256.Sum256(data) } },
	"sha512":  func() func() { return func() { sha512.Sum512(data) } },
	"sha1":    func() func() { return func() { sha1.Sum(data) } },
	"md5":     func() func() { return func() { md5.Sum(data) } },
	"maps":    maps,
	"grow":    goroutines,
}

func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func main() {
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	if err != nil {
		panic(err)
	}
	work := modes[os.Args[1]]()
	for cpuTime().Seconds() < seconds {
		for i := 0; i < 20; i++ {
			work()
		}
	}
}
