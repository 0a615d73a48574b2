package proc

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// job is a job object: every process that its members start is a member. The kernel ends
// the members when the last handle is closed, so also when this program dies.
type job struct{ handle, port windows.Handle }

// completionPort is JOBOBJECT_ASSOCIATE_COMPLETION_PORT of winnt.h.
type completionPort struct {
	key  uintptr
	port windows.Handle
}

// activeProcessZero is JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO of winnt.h.
const activeProcessZero = 4

func newJob() (*job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("making a job object: %w", err)
	}
	port, err := windows.CreateIoCompletionPort(windows.InvalidHandle, 0, 0, 1)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making a completion port: %w", err), windows.CloseHandle(handle))
	}
	j := &job{handle: handle, port: port}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	events := completionPort{key: uintptr(handle), port: port}
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		_, err = windows.SetInformationJobObject(handle, windows.JobObjectAssociateCompletionPortInformation, uintptr(unsafe.Pointer(&events)), uint32(unsafe.Sizeof(events)))
	}
	if err != nil {
		j.close()
		return nil, fmt.Errorf("setting the limits of a job object: %w", err)
	}
	return j, nil
}

// empty reports whether no member is left, and waits for that at most for d. It is true
// once only: the kernel says it once.
func (j *job) empty(d time.Duration) bool {
	deadline := time.Now().Add(d)
	for {
		var message uint32
		var key uintptr
		var about *windows.Overlapped
		left := max(0, time.Until(deadline).Milliseconds())
		if err := windows.GetQueuedCompletionStatus(j.port, &message, &key, &about, uint32(left)); err != nil { //nolint:gosec // seconds
			return false
		}
		if message == activeProcessZero {
			return true
		}
	}
}

// close ends what is left in the job.
func (j *job) close() {
	_ = windows.CloseHandle(j.handle)
	_ = windows.CloseHandle(j.port)
}

// resume lets a process run that was started suspended.
func resume(pid int) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("listing threads: %w", err)
	}
	defer func() { _ = windows.CloseHandle(all) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &entry); err == nil; err = windows.Thread32Next(all, &entry) {
		if int(entry.OwnerProcessID) != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("opening the thread of process %d: %w", pid, err)
		}
		_, err = windows.ResumeThread(thread)
		return errors.Join(err, windows.CloseHandle(thread))
	}
	return fmt.Errorf("process %d has no thread: %w", pid, err)
}
