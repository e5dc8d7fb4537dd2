! SPDX-License-Identifier: BSD-3-Clause
! The module pmu as a Fortran program uses it.
program fortran
    use, intrinsic :: iso_c_binding, only: c_null_char
    use, intrinsic :: iso_fortran_env, only: int64
    use pmu
    implicit none

    integer, parameter :: eperm = 1, enoent = 2, esrch = 3, ebusy = 16, einval = 22, enametoolong = 36, &
        ealready = 114, enodev = 19
    integer :: n_done = 0, n_failed = 0
    integer :: rc

    call pmu_init(backend="software", events="page-faults,task-clock  ", pin="none", output="none", ierr=rc)
    call is(rc, 0, "a session by options")
    call pmu_init(ierr=rc)
    call is(rc, -ealready, "runs")
    call blanks_at_the_end_do_not_count()
    call names_that_cannot_be()
    call reads()
    call reports()
    call every_thread_has_its_own()
    call work_is_done_for_a_context()
    call counts_without_regions()
    call words()
    call the_end()
    print '("1..", i0)', n_done
    if (n_failed > 0) stop 1

contains

    subroutine ok(holds, name)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: name

        n_done = n_done + 1
        if (.not. holds) n_failed = n_failed + 1
        print '(a, "ok ", i0, " - ", a)', trim(merge("    ", "not ", holds)) // repeat(" ", merge(0, 1, holds)), &
            n_done, name
    end subroutine

    subroutine is(got, want, name)
        integer, intent(in) :: got, want
        character(len=*), intent(in) :: name

        call ok(got == want, name)
        if (got /= want) print '("# got ", i0, ", want ", i0)', got, want
    end subroutine

    integer function calls(name)
        character(len=*), intent(in) :: name
        type(pmu_region_counts) :: counts

        call pmu_region_read(name, counts)
        calls = int(counts%calls)
    end function

    subroutine blanks_at_the_end_do_not_count()
        character(len=32) :: padded
        integer :: i

        padded = "padded"
        do i = 1, 3
            call pmu_region_begin("padded", rc)
            call is(rc, 0, "begin a literal")
            call pmu_region_end(padded, rc)
            call is(rc, 0, "end it by a padded name")
        end do
        call pmu_region_begin(padded)
        call pmu_region_end("padded" // c_null_char)
        call is(calls("padded"), 4, "the same region")
        call is(calls(padded), 4, "read by either")
        call pmu_region_begin(" leading")
        call pmu_region_end(" leading")
        call is(calls("leading"), 0, "blanks in front count")
        call is(calls(" leading"), 1, "they are part of the name")
        call pmu_region_begin("two words")
        call pmu_region_end("two words   ")
        call is(calls("two words"), 1, "blanks inside too")
    end subroutine

    subroutine names_that_cannot_be()
        call pmu_region_begin("", rc)
        call is(rc, -einval, "an empty name")
        call pmu_region_begin("    ", rc)
        call is(rc, -einval, "a blank one")
        call pmu_region_begin(c_null_char, rc)
        call is(rc, -einval, "a bare terminator")
        call pmu_region_begin("a" // c_null_char // "b", rc)
        call is(rc, -einval, "a terminator inside")
        call pmu_region_begin(repeat("x", pmu_name_max + 1), rc)
        call is(rc, -enametoolong, "one that is too long")
        call pmu_region_begin(repeat("x", pmu_name_max) // "   ", rc)
        call is(rc, 0, "the longest, with blanks behind it")
        call pmu_region_end(repeat("x", pmu_name_max), rc)
        call is(rc, 0, "ends")
        call pmu_region_end("never begun", rc)
        call is(rc, -enoent, "an end without a begin")
        call pmu_region_end("never begun")
    end subroutine

    subroutine reads()
        type(pmu_region_counts) :: counts

        call pmu_region_read("padded", counts, ierr=rc)
        call is(rc, 0, "read")
        call ok(counts%calls == 4 .and. counts%time_ns > 0, "calls and time")
        call is(counts%n_counts, 2, "two counts")
        call ok(.not. any(counts%missing(:2)) .and. all(counts%missing(3:)), "both made")
        call ok(counts%count(2) > 0, "the CPU time")
        call ok(all(counts%net <= counts%count) .and. counts%net_time_ns <= counts%time_ns, "net ones are not more")
        call ok(pmu_count_name(1) == "page-faults", "the name of the first")
        call ok(pmu_count_name(3) == "", "none beyond the last")
        call pmu_region_read("padded", counts, thread=0, ierr=rc)
        call ok(rc == 0 .and. counts%calls == 4, "of a thread by its number")
        call pmu_region_read("padded", counts, 4711, rc)
        call ok(rc == -esrch .and. counts%calls == 0, "of a thread that does not exist")
        call pmu_region_read("never heard of", counts, ierr=rc)
        call is(rc, -enoent, "of a region that does not exist")
        call pmu_region_begin("padded")
        call pmu_region_reset("padded", rc)
        call is(rc, -ebusy, "an open region is not reset")
        call pmu_region_end("padded")
        call pmu_region_reset("padded ", rc)
        call is(rc, 0, "reset")
        call is(calls("padded"), 0, "forgotten")
        call pmu_group_next(rc)
        call is(rc, -enoent, "one group has no next one")
    end subroutine

    subroutine reports()
        character(len=:), allocatable :: text

        call pmu_note("written by the test  ", rc)
        call is(rc, 0, "a note")
        call pmu_report_text("text", text, rc)
        call ok(rc == 0 .and. index(text, "written by the test") > 0, "a report in memory")
        call pmu_report_text("csv", text)
        call ok(index(text, "group,path,") == 1, "as CSV")
        call ok(index(text, ",two words,") > 0, "names come without blanks at the end")
        call pmu_report_text("xml", text, rc)
        call ok(rc == -einval .and. len(text) == 0, "a format that does not exist")
        call ok(index(pmu_last_error(), "xml") > 0, "whose reason can be read")
        call pmu_report("/nonexistent/report.json", rc)
        call is(rc, -enoent, "a file that cannot be written")
    end subroutine

    ! With OpenMP every thread of the team, else one.
    subroutine every_thread_has_its_own()
        integer :: i, each, total
        type(pmu_region_counts) :: counts
        character(len=20) :: name
        character(len=pmu_text_max) :: why

        total = 0
        each = 0
        !$omp parallel num_threads(4) private(i, counts, name, why) reduction(+:total, each)
        do i = 1, 1000
            write (name, '("step ", i0)') mod(i, 10)
            call pmu_region_begin(name)
            call pmu_region_begin("inner")
            call pmu_region_end("inner")
            call pmu_region_end(name)
            why = pmu_strerror(-22)
            if (why /= "Invalid argument") total = total + 1
        end do
        call pmu_region_read("inner", counts)
        if (counts%calls /= 1000) total = total + 1
        each = 1
        !$omp end parallel
        print '("# ", i0, " threads")', each
        call is(total, 0, "every thread reads its own 1000 calls")
    end subroutine

    ! With OpenMP each thread of the team works for what the first one has open.
    subroutine work_is_done_for_a_context()
        integer(int64) :: context
        integer :: each, failed
        character(len=:), allocatable :: text
        character(len=40) :: row

        call ok(pmu_context_get() == 0, "nothing is open")
        call pmu_region_begin("submits")
        context = pmu_context_get()
        call ok(context /= 0, "a context")
        each = 0
        failed = 0
        !$omp parallel num_threads(4) private(rc) reduction(+:each, failed)
        call pmu_context_enter(context, rc)
        if (rc /= 0) failed = failed + 1
        call pmu_region_begin("part")
        call pmu_region_end("part")
        call pmu_context_leave(rc)
        if (rc /= 0) failed = failed + 1
        each = 1
        !$omp end parallel
        call pmu_region_end("submits")
        call is(failed, 0, "entered and left")
        call pmu_report_text("csv", text)
        write (row, '(",submits/part,part,1,all,", i0, ",")') each
        call ok(index(text, trim(row)) > 0, "each thread's part is below the region")
    end subroutine

    subroutine counts_without_regions()
        type(pmu_counters) :: counters
        integer(int64) :: value(2)
        logical :: missing(2)

        call pmu_counters_open(counters, "no-such-event", ierr=rc)
        call is(rc, -einval, "an unknown event")
        call pmu_counters_open(counters, "page-faults,task-clock ", pmu_scope_thread, rc)
        call is(rc, 0, "counters")
        call pmu_counters_start(counters, rc)
        call is(rc, 0, "start")
        call pmu_counters_stop(counters, rc)
        call is(rc, 0, "stop")
        value = -1
        call pmu_counters_read(counters, value, missing, rc)
        call ok(rc == 0 .and. all(value >= 0) .and. .not. any(missing), "read")
        call pmu_counters_read(counters, value(:1), missing, rc)
        call ok(rc == -einval .and. all(missing), "too few elements")
        call pmu_counters_reset(counters, rc)
        call is(rc, 0, "reset")
        call pmu_counters_close(counters)
        call pmu_counters_close(counters)
    end subroutine

    subroutine words()
        call ok(pmu_strerror(-eperm) /= "", "words for a code")
        call ok(pmu_version() > 0, "the version")
    end subroutine

    subroutine the_end()
        type(pmu_region_counts) :: counts

        call pmu_fini(rc)
        call is(rc, 0, "the end")
        call pmu_region_begin("after the end", rc)
        call is(rc, 0, "a region after it is nothing")
        call pmu_region_end("after the end")
        call pmu_region_read("after the end", counts, ierr=rc)
        call is(rc, -enodev, "nothing is measured")
        call pmu_fini()
    end subroutine
end program
