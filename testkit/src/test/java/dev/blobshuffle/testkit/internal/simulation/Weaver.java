package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.simulator.YieldPoints;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Puts calls of {@link YieldPoints} into a class: before each access of its volatile fields, of an
 * atomic or of a variable handle, and in place of its monitors. A synchronized method becomes two:
 * one with the body, and one that enters the monitor around it. Stateless.
 */
final class Weaver {
    private static final String YIELD_POINTS = Type.getInternalName(YieldPoints.class);
    private static final String BODY = "$body";

    private Weaver() {}

    static byte[] weave(byte[] original) {
        ClassReader reader = new ClassReader(original);
        Set<String> volatiles = new HashSet<>();
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public @Nullable FieldVisitor visitField(
                            int access, String name, String descriptor, String signature, Object value) {
                        if ((access & Opcodes.ACC_VOLATILE) != 0) {
                            volatiles.add(name);
                        }
                        return null;
                    }
                },
                ClassReader.SKIP_CODE);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(new Woven(writer, volatiles), 0);
        return writer.toByteArray();
    }

    private static final class Woven extends ClassVisitor {
        private final Set<String> volatiles;
        private String type = "";

        Woven(ClassVisitor next, Set<String> volatiles) {
            super(Opcodes.ASM9, next);
            this.volatiles = volatiles;
        }

        @Override
        public void visit(
                int version, int access, String name, String signature, String superName, String[] interfaces) {
            type = name;
            super.visit(version, access, name, signature, superName, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            if ((access & Opcodes.ACC_SYNCHRONIZED) == 0) {
                return new WovenMethod(
                        super.visitMethod(access, name, descriptor, signature, exceptions), type, volatiles);
            }
            int open = access & ~Opcodes.ACC_SYNCHRONIZED;
            MethodVisitor around = super.visitMethod(open, name, descriptor, signature, exceptions);
            writeAround(around, open, name, descriptor);
            int hidden = (open & ~(Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED))
                    | Opcodes.ACC_PRIVATE
                    | Opcodes.ACC_SYNTHETIC;
            return new WovenMethod(
                    super.visitMethod(hidden, name + BODY, descriptor, signature, exceptions), type, volatiles);
        }

        private void writeAround(MethodVisitor to, int access, String name, String descriptor) {
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
            Label start = new Label();
            Label end = new Label();
            Label failed = new Label();
            to.visitCode();
            to.visitTryCatchBlock(start, end, failed, null);
            loadMonitor(to, isStatic);
            call(to, "enter", "(Ljava/lang/Object;)V");
            to.visitLabel(start);
            int local = 0;
            if (!isStatic) {
                to.visitVarInsn(Opcodes.ALOAD, local++);
            }
            for (Type argument : Type.getArgumentTypes(descriptor)) {
                to.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
                local += argument.getSize();
            }
            to.visitMethodInsn(
                    isStatic ? Opcodes.INVOKESTATIC : Opcodes.INVOKESPECIAL, type, name + BODY, descriptor, false);
            to.visitLabel(end);
            loadMonitor(to, isStatic);
            call(to, "exit", "(Ljava/lang/Object;)V");
            to.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
            to.visitLabel(failed);
            to.visitFrame(Opcodes.F_SAME1, 0, null, 1, new Object[] {"java/lang/Throwable"});
            loadMonitor(to, isStatic);
            call(to, "exit", "(Ljava/lang/Object;)V");
            to.visitInsn(Opcodes.ATHROW);
            to.visitMaxs(0, 0);
            to.visitEnd();
        }

        private void loadMonitor(MethodVisitor to, boolean isStatic) {
            if (isStatic) {
                to.visitLdcInsn(Type.getObjectType(type));
            } else {
                to.visitVarInsn(Opcodes.ALOAD, 0);
            }
        }
    }

    private static void call(MethodVisitor to, String method, String descriptor) {
        to.visitMethodInsn(Opcodes.INVOKESTATIC, YIELD_POINTS, method, descriptor, false);
    }

    private static final class WovenMethod extends MethodVisitor {
        private final String type;
        private final Set<String> volatiles;

        WovenMethod(MethodVisitor next, String type, Set<String> volatiles) {
            super(Opcodes.ASM9, next);
            this.type = type;
            this.volatiles = volatiles;
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.MONITORENTER) {
                call(mv, "enter", "(Ljava/lang/Object;)V");
            } else if (opcode == Opcodes.MONITOREXIT) {
                call(mv, "exit", "(Ljava/lang/Object;)V");
            } else {
                super.visitInsn(opcode);
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            boolean isVolatile = owner.equals(type) && volatiles.contains(name);
            boolean isFlag = isVolatile && descriptor.equals("Z");
            if (isFlag && opcode == Opcodes.GETFIELD) {
                call(mv, "point", "()V");
                super.visitInsn(Opcodes.DUP);
                super.visitFieldInsn(opcode, owner, name, descriptor);
                super.visitLdcInsn(name);
                call(mv, "read", "(Ljava/lang/Object;ZLjava/lang/String;)Z");
                return;
            }
            if (isFlag && opcode == Opcodes.PUTFIELD) {
                super.visitInsn(Opcodes.DUP2);
                super.visitLdcInsn(name);
                call(mv, "write", "(Ljava/lang/Object;ZLjava/lang/String;)V");
            } else if (isVolatile) {
                boolean isWrite = opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC;
                call(mv, isWrite ? "fence" : "point", "()V");
            }
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (owner.equals("java/lang/Thread") && (name.equals("yield") || name.equals("onSpinWait"))) {
                call(mv, "spin", "()V");
                return;
            }
            if (owner.equals("java/lang/invoke/VarHandle")) {
                if (!name.endsWith("Fence")) {
                    call(mv, name.equals("setOpaque") ? "relaxedStore" : "point", "()V");
                }
            } else if (owner.startsWith("java/util/concurrent/atomic/") && !name.equals("<init>")) {
                call(mv, name.equals("get") ? "point" : "fence", "()V");
            } else if (owner.startsWith("java/util/concurrent/ConcurrentLinked") && !name.equals("<init>")) {
                call(mv, "fence", "()V");
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
    }
}
